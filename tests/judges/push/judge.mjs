// Reads messages of Web Push as a browser and its push service would: decrypts each with http_ece
// (RFC 8188 and 8291), and checks the signature of its VAPID token (RFC 8292) with Node's own crypto.
//
//     node judge.mjs <MESSAGES.json
//
// MESSAGES.json: {private, public, auth, messages: [{body, authorization}]}, all in base64url but
// the header. It prints a list of {payload, claims, key, signed}, and fails where a message cannot
// be decrypted. TRAVERSE_JUDGES_NODE names the folder that http_ece is installed in.

import { createECDH, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const ece = createRequire(join(process.env.TRAVERSE_JUDGES_NODE, "node_modules/"))("http_ece");
const { private: secret, public: point, auth, messages } = JSON.parse(readFileSync(0, "utf8"));

const device = createECDH("prime256v1");
device.setPrivateKey(Buffer.from(secret, "base64url"));
if (device.getPublicKey("base64url") !== point) throw new Error("the keys are no pair");

function read({ body, authorization }) {
  const payload = ece.decrypt(Buffer.from(body, "base64url"), {
    version: "aes128gcm",
    privateKey: device,
    authSecret: auth,
  });
  const [, token, key] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(authorization);
  const [head, claims, signature] = token.split(".");
  const { typ, alg } = JSON.parse(Buffer.from(head, "base64url"));
  const bytes = Buffer.from(key, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: bytes.subarray(1, 33).toString("base64url"),
    y: bytes.subarray(33).toString("base64url"),
  };
  const signed = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  return {
    payload: payload.toString("utf8"),
    claims: JSON.parse(Buffer.from(claims, "base64url")),
    key,
    signed: signed && typ === "JWT" && alg === "ES256",
  };
}

console.log(JSON.stringify(messages.map(read)));
