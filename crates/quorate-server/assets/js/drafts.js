// What is typed survives a closed tab and a lost network. A form with `data-keeps` has one draft, on the server, for all
// devices; here stays only what the server has not taken yet, and the drafts of small forms. They go away when their form
// was taken: the next page says what was done. Any other page leaves them where they are.
const key = (form) => `draft:${form.dataset.draft}`;
// Which rules are edited and from which texts goes along unseen; it is part of the draft.
const isUnseen = (f) => f.type === "hidden" && /^(edit|pick|(of|base|text|open|doing)-\d+|p\d+-data)$/.test(f.name);
const isTyped = (f) => !["hidden", "password", "submit", "button", "file"].includes(f.type);
const fields = (form) => [...form.elements].filter((f) => f.name && (isTyped(f) || isUnseen(f)));
const store = { get: (k) => { try { return localStorage.getItem(k); } catch { return null; } },
  set: (k, v) => { try { localStorage.setItem(k, v); return true; } catch { return false; } },
  drop: (k) => { try { localStorage.removeItem(k); } catch { /* storage is off: there is nothing to drop */ } } };

function read(form) {
  const kept = {};
  for (const f of fields(form)) {
    if (f.type === "checkbox" || f.type === "radio") { if (f.checked) (kept[f.name] ??= []).push(f.value); }
    else (kept[f.name] ??= []).push(f.value);
  }
  return kept;
}
function write(form, kept) {
  const left = structuredClone(kept);
  for (const f of fields(form)) {
    if (f.type === "checkbox" || f.type === "radio") f.checked = (kept[f.name] || []).includes(f.value);
    else if (left[f.name]?.length) f.value = left[f.name].shift();
  }
}
// A draft that edits rules which this form does not hold: the server is asked for the form with them.
function isOther(form, kept) {
  const here = read(form);
  const other = (kind, name) => (kept[kind] || []).some((nth) => String(kept[`${name}-${nth}`]) !== String(here[`${name}-${nth}`]));
  return other("edit", "of") || other("edit", "text") || other("pick", "doing");
}
function bringBack(form, kept) {
  const names = Object.keys(kept).filter((name) => /^(edit|pick|(of|base|text|open|doing|title|repeal|(piece|code)-\d+)-\d+|p\d+-.+)$/.test(name));
  for (const f of [...form.elements]) if (names.includes(f.name)) f.disabled = true;
  for (const name of names) {
    for (const value of kept[name]) {
      const field = document.createElement("textarea");
      Object.assign(field, { name, value, hidden: true });
      form.append(field);
    }
  }
  const button = form.querySelector('button[value="check"]') || form.querySelector('button[value="preview"]');
  form.requestSubmit(button);
}
// From here on a form needs no network to keep what is typed; it says so by its `data-kept`.
function keep(form) {
  const note = form.querySelector("[data-saved]");
  const asSent = JSON.stringify(read(form));
  const old = store.get(key(form));
  const kept = old && old !== asSent ? JSON.parse(old) : null;
  if (kept && isOther(form, kept)) {
    if (note) {
      const again = Object.assign(document.createElement("button"), { type: "button", className: "btn plain small", textContent: "Bring it back" });
      again.addEventListener("click", () => { write(form, kept); bringBack(form, kept); });
      note.replaceChildren("There is a draft of yours that changes rules. ", again);
    }
  } else if (kept) {
    write(form, kept);
    if (note) {
      const drop = Object.assign(document.createElement("button"), { type: "button", className: "btn plain small", textContent: "Start over" });
      drop.addEventListener("click", () => { store.drop(key(form)); write(form, JSON.parse(asSent)); note.textContent = ""; });
      note.replaceChildren("Your draft is back. ", drop);
    }
  }
  let due, sending, underWay = null, isSent = false;
  const tell = (words) => { if (note) note.textContent = words; };
  const save = () => {
    due = null;
    const text = JSON.stringify(read(form));
    if (text === asSent && !form.dataset.keeps) { store.drop(key(form)); return; }
    if (store.set(key(form), text)) tell("Draft kept in this browser.");
  };
  // One at a time, the newest last: what is typed meanwhile goes with the next.
  function hand() {
    clearTimeout(sending);
    sending = null;
    const turn = (underWay ?? Promise.resolve()).then(handOver);
    underWay = turn;
    turn.finally(() => { if (underWay === turn) underWay = null; });
  }
  async function handOver() {
    if (isSent) return;
    const text = JSON.stringify(read(form));
    const body = new URLSearchParams(new FormData(form));
    body.set("quiet", "yes");
    const taken = await fetch(form.dataset.keeps, { method: "POST", body, keepalive: text.length < 30000 }).catch(() => null);
    if (taken?.status !== 204 || isSent) return;
    if (store.get(key(form)) === text) store.drop(key(form));
    tell("Draft kept.");
  }
  form.addEventListener("input", () => {
    due ??= setTimeout(save, 400);
    if (form.dataset.keeps) sending ??= setTimeout(hand, 2500);
  });
  if (kept && form.dataset.keeps && !isOther(form, kept)) hand();
  form.addEventListener("submit", (event) => {
    // A draft that is still under way would arrive after what is sent, and stay: it goes first.
    if (underWay && !event.defaultPrevented) {
      event.preventDefault();
      const { submitter } = event;
      underWay.then(() => form.requestSubmit(submitter));
      return;
    }
    save();
    isSent = true;
    clearTimeout(sending);
    store.set("draft-sent", key(form));
  });
  // Nothing is waited for on a page that goes away.
  addEventListener("pagehide", () => { if (due) save(); if (sending) handOver(); });
  form.dataset.kept = "";
}

export function drafts() {
  const forms = [...document.querySelectorAll("form[data-draft]")];
  const gone = store.get("draft-sent");
  if (gone) {
    if (document.querySelector(".flash[role=status]")) store.drop(gone);
    store.drop("draft-sent");
  }
  forms.forEach(keep);
}
