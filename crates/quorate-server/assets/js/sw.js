// What works while no page is open: notices that are pushed here, and the last pages when there is no network.
const PAGES = "pages", FILES = "files", KEPT = 40;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const { title, body, url, tag, off } = event.data.json();
  const actions = off ? [{ action: "off", title: "No more of this" }] : [];
  event.waitUntil(self.registration.showNotification(title, { body, tag, actions, data: { url, off } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { url, off } = event.notification.data;
  const done = event.action === "off" ? fetch(off, { method: "POST" }) : self.clients.openWindow(url);
  event.waitUntil(done);
});

const keep = async (name, request, answer) => {
  const cache = await caches.open(name);
  await cache.delete(request);
  await cache.put(request, answer);
  const all = await cache.keys();
  await Promise.all(all.slice(0, Math.max(0, all.length - KEPT)).map((old) => cache.delete(old)));
};

// Files that are downloaded are no pages: a backup is the whole server.
const isPage = (answer) => answer.ok && (answer.headers.get("content-type") ?? "").startsWith("text/html");

// Pages behind which a session begins or ends.
const ENDS = ["/sign-", "/recover/", "/settings/erase"];

const page = async (event) => {
  try {
    const answer = await fetch(event.request);
    if (answer.status === 401) event.waitUntil(caches.delete(PAGES));
    else if (isPage(answer)) event.waitUntil(keep(PAGES, event.request, answer.clone()));
    return answer;
  } catch {
    const kept = await caches.match(event.request, { cacheName: PAGES });
    const none = "There is no network, and this page was not seen here lately.";
    return kept ?? new Response(none, { status: 503, headers: { "content-type": "text/plain" } });
  }
};

const file = async (event) => {
  const kept = await caches.match(event.request, { cacheName: FILES });
  if (kept) return kept;
  const answer = await fetch(event.request);
  if (answer.ok) event.waitUntil(keep(FILES, event.request, answer.clone()));
  return answer;
};

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (origin !== self.location.origin) return;
  // What somebody saw is nobody else's who signs in after them.
  const ends = ENDS.some((beginning) => pathname.startsWith(beginning));
  if (method === "POST" && ends) event.waitUntil(caches.delete(PAGES));
  if (method !== "GET") return;
  if (mode === "navigate") event.respondWith(page(event));
  else if (pathname.startsWith("/assets/")) event.respondWith(file(event));
});
