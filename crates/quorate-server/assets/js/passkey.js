// Passkeys: asks the browser for a key, or for a signature by one, and sends with the form what it says of that.
import { bytes } from "./push.js";

const text = (words) => new TextEncoder().encode(words);
const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const named = (id) => ({ type: "public-key", id: bytes(id) });

const made = async ({ challenge, user, handle, known }) => {
  const { rawId, response } = await navigator.credentials.create({ publicKey: {
    challenge: text(challenge.value),
    rp: { name: "Quorate" },
    user: { id: text(handle.value), name: user.value, displayName: user.value },
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: known.value.split(" ").filter(Boolean).map(named),
  } });
  return {
    credential: rawId, client: response.clientDataJSON, data: response.getAuthenticatorData(), public: response.getPublicKey(),
  };
};

const used = async ({ challenge }) => {
  const asked = { challenge: text(challenge.value), userVerification: "required" };
  const { rawId, response } = await navigator.credentials.get({ publicKey: asked });
  return {
    credential: rawId, client: response.clientDataJSON, data: response.authenticatorData, signature: response.signature,
  };
};

const fill = (css, ask) => {
  const form = document.querySelector(css);
  if (!form || !("PublicKeyCredential" in window)) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const said = await ask(form.elements);
      for (const [name, buffer] of Object.entries(said)) form.elements[name].value = base64(buffer);
    } catch {
      // The server says what is wrong when nothing was filled in.
    }
    form.submit();
  });
};

export const passkeys = () => {
  fill('form[action="/settings/passkey"]', made);
  fill('form[action="/sign-in/passkey"]', used);
};
