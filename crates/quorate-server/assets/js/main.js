// What scripts add to pages that work without them. live.js comes first: it remembers what the server sent
// before the others touch it.
import { live } from "./live.js";
import { times } from "./time.js";
import { drafts } from "./drafts.js";
import { check } from "./check.js";
import { keys } from "./keys.js";
import { board } from "./board.js";

live(() => { times(); board(); });
times();
drafts();
check();
keys();
board();
