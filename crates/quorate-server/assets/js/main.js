// What scripts add to pages that work without them. live.js comes first: it remembers what the server sent
// before the others touch it. What few pages need is fetched by those alone.
import { live } from "./live.js";
import { times } from "./time.js";
import { keys } from "./keys.js";

const has = (css) => document.querySelector(css) !== null;
const wasSent = () => { try { return localStorage.getItem("draft-sent") !== null; } catch { return false; } };
let board = () => {};

// What an address names may stand folded, and not every browser opens that.
function unfold() {
  const named = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = named && named.closest("details:not([open])");
  if (fold) { fold.open = true; named.scrollIntoView(); }
}
addEventListener("hashchange", unfold);
unfold();

let checks = () => {
  if (!has("form[data-checked], [data-alarms], [data-trial]")) return;
  checks = () => {};
  import("./check.js").then((its) => its.check());
};

live(() => { times(); board(); checks(); });
times();
keys();
if (has("svg[data-form], [data-shows]")) import("./board.js").then((its) => { board = its.board; board(); });
if (has("form[data-draft]") || wasSent()) import("./drafts.js").then((its) => its.drafts());
checks();
if (has('form[action="/notices/push"]')) import("./push.js").then((its) => its.push());
if (has('form[action$="/passkey"]')) import("./passkey.js").then((its) => its.passkeys());
if (has("a[data-code]")) import("./code.js").then((its) => its.code());
