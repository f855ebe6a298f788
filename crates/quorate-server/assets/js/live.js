// The live page: the stream says that the game has moved, the page is fetched again, and the marked parts that differ
// are exchanged. What somebody is typing in, or has chosen in, is left alone until they are done.
const marked = (root) => [...root.querySelectorAll("[data-live][id]")];
const sent = new Map();
const remember = (el) => sent.set(el.id, el.outerHTML);

function busy(el) {
  if (el.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) return true;
  return [...el.querySelectorAll("input, textarea, select")].some((f) =>
    f.type === "hidden" ? false
    : f.type === "checkbox" || f.type === "radio" ? f.checked !== f.defaultChecked
    : f.options ? [...f.options].some((o) => o.selected !== o.defaultSelected) && f.selectedIndex > 0
    : f.value !== f.defaultValue);
}

// How to find again, in a fresh part, the element that had the focus.
function wayTo(focused) {
  if (focused.id) return `#${CSS.escape(focused.id)}`;
  if (focused.href) return `a[href="${CSS.escape(focused.getAttribute("href"))}"]`;
  const form = focused.matches("button") && focused.form?.getAttribute("action");
  return form && `form[action="${CSS.escape(form)}"] button[value="${CSS.escape(focused.value)}"]`;
}

function exchange(old, fresh) {
  remember(fresh);
  const find = (css) => (fresh.matches(css) ? fresh : fresh.querySelector(css));
  const way = old.contains(document.activeElement) && wayTo(document.activeElement);
  const folds = [...old.querySelectorAll("details")].map((d) => d.open);
  [...fresh.querySelectorAll("details")].forEach((d, i) => { d.open = folds[i] ?? d.open; });
  // Keys stay where they stand.
  const at = old.matches("[data-stop].at") ? old : old.querySelector("[data-stop].at");
  if (at?.id) find(`#${CSS.escape(at.id)}`)?.classList.add("at");
  old.replaceWith(fresh);
  if (way) find(way)?.focus({ preventScroll: true });
}

// Lists grow item by item, so that a reader in the middle of one is not thrown out of it.
function list(old, fresh) {
  const kept = new Set();
  let before = null, added = 0;
  for (const item of [...fresh.children]) {
    kept.add(item.id);
    const was = item.id && document.getElementById(item.id);
    if (!was) {
      sent.set(item.id, item.outerHTML);
      item.classList.add("fresh");
      before ? before.after(item) : old.prepend(item);
      added += 1;
      before = item;
    } else {
      before = was;
      if (sent.get(item.id) !== item.outerHTML && !busy(was)) { exchange(was, item); before = item; }
    }
  }
  for (const item of [...old.children]) if (!kept.has(item.id) && !busy(item)) item.remove();
  return added;
}

function merge(page) {
  const news = [];
  for (const fresh of marked(page)) {
    const old = document.getElementById(fresh.id);
    if (!old || sent.get(fresh.id) === fresh.outerHTML) continue;
    if (fresh.dataset.live === "list") {
      const html = fresh.outerHTML, added = list(old, fresh);
      sent.set(fresh.id, html);
      if (added && old.dataset.noun) news.push(`${added} new ${old.dataset.noun}${added > 1 ? "s" : ""}`);
    } else if (!busy(old)) exchange(old, fresh);
  }
  document.title = page.title;
  if (news.length) say(news.join(", "));
}

let hush;
export function say(text) {
  const box = document.getElementById("said");
  if (!box) return;
  box.textContent = text;
  clearTimeout(hush);
  hush = setTimeout(() => { box.textContent = ""; }, 6000);
}

export function live(after) {
  const { stream } = document.body.dataset;
  for (const el of marked(document)) {
    remember(el);
    if (el.dataset.live === "list") [...el.children].forEach((item) => item.id && remember(item));
  }
  if (!stream || !window.EventSource) return;
  let due = null, missed = false, asking = false;
  async function fetchPage() {
    due = null;
    // One at a time, or a slow older answer would come last and stay.
    if (document.hidden || asking) { missed = true; return; }
    [missed, asking] = [false, true];
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" }, redirect: "error" });
      // A server that has much to do answers a little later.
      if (answer.status >= 500 || answer.status === 429) setTimeout(soon, 3000);
      if (answer.ok) {
        merge(new DOMParser().parseFromString(await answer.text(), "text/html"));
        after();
      }
      if (missed) soon();
    } catch { missed = true; } // A lost network comes back with the stream.
    asking = false;
  }
  const soon = () => { due ??= setTimeout(fetchPage, 150 + Math.random() * 350); };
  let source;
  function listen() {
    source = new EventSource(stream);
    source.addEventListener("moved", soon);
    source.addEventListener("open", () => { if (missed) soon(); });
    source.addEventListener("error", () => {
      missed = true;
      // A browser tries again where the line was lost, and never where the server said no.
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
    });
  }
  listen();
  document.addEventListener("visibilitychange", () => { if (!document.hidden && missed) soon(); });
  document.addEventListener("focusout", () => { if (missed) soon(); });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
}
