// Keys: j and k go through posts and comments, f a d choose a vote (and never send it), / searches, ? explains.
const typing = (el) => el.matches("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");
const stops = () => [...document.querySelectorAll("[data-stop]")];
let at = null;

function step(by) {
  const all = stops();
  const here = all.indexOf(at?.isConnected ? at : document.activeElement.closest("[data-stop]"));
  const next = all[here < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + by))];
  if (!next) return;
  at?.classList.remove("at");
  at = next;
  at.classList.add("at");
  (at.querySelector("a[href]") || at).focus({ preventScroll: true });
  at.scrollIntoView({ block: "center" });
}
function vote(side) {
  const radio = document.querySelector(`#vote input[name=vote][value="${side}"]`);
  if (radio) { radio.click(); radio.focus(); return; }
  const link = at?.querySelector("a[data-vote]");
  if (link) location.href = `${link.pathname}?vote=${side}#vote`;
}
function search() {
  const box = document.querySelector("[data-search]");
  if (!box) return;
  box.matches("a") ? box.click() : box.focus();
}
const does = {
  j: () => step(1), k: () => step(-1), f: () => vote("for"), a: () => vote("against"), d: () => vote("deferential"),
  n: () => document.querySelector("a[data-new-post]")?.click(), "/": search, "?": () => document.getElementById("keys")?.showModal(),
};

export function keys() {
  if (document.body.dataset.keys === "off") return;
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
