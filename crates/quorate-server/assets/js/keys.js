// Keys: j and k go through posts and comments, f a d choose a vote (Enter sends it), n is the next without one, w writes,
// / searches, ? explains.
const typing = (el) => el.matches("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");
const stops = () => [...document.querySelectorAll("[data-stop]")];
// Where the keys stand is written on the page, so that it outlives an exchange of its part.
const at = () => document.querySelector("[data-stop].at");

function step(by) {
  const all = stops();
  const here = all.indexOf(at() || document.activeElement.closest("[data-stop]"));
  const next = all[here < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + by))];
  if (next) go(next);
}
function stand(on) {
  at()?.classList.remove("at");
  on.classList.add("at");
}
function go(to) {
  stand(to);
  // Enter opens what the stop is about, not who wrote it.
  (to.querySelector("a[data-open], h3 a[href]") || to).focus({ preventScroll: true });
  to.scrollIntoView({ block: "center" });
}
function vote(side) {
  const here = at();
  const scope = here?.querySelector(".quick") ? here : document.querySelector("#voting");
  const button = scope?.querySelector(`.quick button[value="${side}"]`);
  if (button) { button.focus(); return; }
  const radio = document.querySelector(`#vote input[name=vote][value="${side}"]`);
  if (radio) { radio.click(); radio.focus(); return; }
  const link = here?.querySelector("a[data-vote]");
  if (link) location.href = `${link.pathname}?vote=${side}#vote`;
}
// The next matter without a vote: by its link on a post, else the next one in the list.
function next() {
  const link = document.querySelector("a[data-next]");
  if (link) { link.click(); return; }
  const all = stops(), here = all.indexOf(at());
  const open = (one) => one.querySelector(".quick") && !one.querySelector(".quick [aria-pressed=true]");
  const found = all.find((one, nth) => nth > here && open(one)) || all.find(open);
  if (found) go(found);
}
function search() {
  const box = document.querySelector("[data-search]");
  if (!box) return;
  box.matches("a") ? box.click() : box.focus();
}
const does = {
  j: () => step(1), k: () => step(-1), f: () => vote("for"), a: () => vote("against"), d: () => vote("deferential"),
  n: next, w: () => document.querySelector("a[data-new-post]")?.click(), "/": search, "?": () => document.getElementById("keys")?.showModal(),
};

export function keys() {
  if (document.body.dataset.keys === "off") return;
  // After a vote from the list the address names the next matter.
  const named = location.hash.startsWith("#post-") && document.getElementById(location.hash.slice(1));
  if (named) stand(named);
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || typing(e.target) || document.querySelector("dialog[open]")) return;
    const act = does[e.key];
    if (act) { e.preventDefault(); act(); }
  });
  document.querySelectorAll("[data-opens]").forEach((el) => el.addEventListener("click", (e) => {
    const dialog = document.getElementById(el.dataset.opens);
    if (dialog) { e.preventDefault(); dialog.showModal(); }
  }));
}
