// Clocks, countdowns, and times in the reader's own zone, with UTC when pointed at. The server's clock counts: a reader's may
// be wrong.
const root = document.documentElement;
const skew = Number(root.dataset.now || Date.now()) - Date.now();
const now = () => Date.now() + skew;
const each = (name, then) => document.querySelectorAll(`[data-${name}]`).forEach((el) => then(el, el.dataset[name]));
const write = (el, text) => { if (el.textContent !== text) el.textContent = text; };
const sameDay = (a, b) => a.toDateString() === b.toDateString();
const hours = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const days = { weekday: "short", day: "numeric", month: "short" };

// The same words as the server's parts/time.rs: at most two units, none of them zero.
function span(ms) {
  const min = Math.floor(ms / 60000), h = Math.floor(min / 60), d = Math.floor(h / 24);
  if (min < 1) return "less than a minute";
  if (h < 1) return `${min} min`;
  if (d < 1) return min % 60 ? `${h} h ${min % 60} min` : `${h} h`;
  if (d < 7) return h % 24 ? `${d} d ${h % 24} h` : `${d} d`;
  return `${d} days`;
}
function age(ms) {
  const h = Math.floor(ms / 3600000), d = Math.floor(h / 24);
  if (h < 1) return `${Math.floor(ms / 60000)} min`;
  if (d < 1) return `${h} h`;
  return d < 3 && h % 24 ? `${d} d ${h % 24} h` : d === 1 ? "1 day" : `${d} days`;
}
function local(at) {
  if (at.getTimezoneOffset() === 0) return "";
  const clock = at.toLocaleTimeString("en-GB", hours);
  return sameDay(at, new Date(now())) ? `${clock} yours` : `${at.toLocaleDateString("en-GB", days)}, ${clock} yours`;
}
// The shortest form that says it all: the clock today, the day too on another, the year too in another.
function short(at) {
  const clock = at.toLocaleTimeString("en-GB", hours), here = new Date(now());
  if (sameDay(at, here)) return clock;
  const year = at.getFullYear() === here.getFullYear() ? {} : { year: "numeric" };
  return `${at.toLocaleDateString("en-GB", { ...days, ...year }).replace(/,/g, "")}, ${clock}`;
}
function tick() {
  const at = now();
  each("clock", (el) => write(el, new Date(at).toISOString().slice(11, 16)));
  each("until", (el, t) => { const left = Date.parse(t) - at; write(el, left > 0 ? `in ${span(left)}` : "now"); });
  each("since", (el, t) => write(el, at - Date.parse(t) < 60000 ? "just now" : `${age(at - Date.parse(t))} ago`));
  each("local", (el, t) => write(el, local(t === "now" ? new Date(at) : new Date(t))));
}

// A moment within a sentence of the server's gets an element of its own. What people wrote stays as they wrote it.
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const moment = new RegExp(`\\b[A-Z][a-z]{2} (\\d{1,2}) (${months.join("|")})(?: (\\d{4}))?, (\\d\\d):(\\d\\d) UTC`);
const theirs = ".prose, pre, code, textarea, option, time, title, script, .clock";
function moments() {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) if (moment.test(texts.currentNode.data) && !texts.currentNode.parentElement.closest(theirs)) found.push(texts.currentNode);
  for (let text of found) {
    for (let at; (at = moment.exec(text.data)); ) {
      const told = text.splitText(at.index), el = document.createElement("time");
      text = told.splitText(at[0].length);
      const year = at[3] ?? new Date(now()).getUTCFullYear();
      el.dateTime = new Date(Date.UTC(year, months.indexOf(at[2]), at[1], at[4], at[5])).toISOString();
      el.textContent = at[0];
      told.replaceWith(el);
    }
  }
}

let ticking;
export function times() {
  moments();
  document.querySelectorAll("time[datetime]:not(.clock *)").forEach((el) => {
    if (el.dataset.own) return;
    el.dataset.own = "1";
    const at = new Date(el.dateTime);
    if (el.dataset.since) { el.title = [el.title, local(at)].filter(Boolean).join(" · "); return; }
    // What tells the day alone goes on telling the day alone.
    const day = !el.textContent.includes(":");
    el.title = el.title || el.textContent;
    el.textContent = day ? at.toLocaleDateString("en-GB", { day: "numeric", month: "short" }) : short(at);
  });
  tick();
  ticking ??= setInterval(tick, 10000);
}
