/** Signs messages according to RFC 6376 (relaxed/relaxed), independently of the code that verifies them. */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface SigningKey {
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256';
  readonly privateKey: KeyObject;
  /** The record to publish at `<selector>._domainkey.<domain>`. */
  readonly record: string;
}

export interface SignatureOptions {
  readonly domain: string;
  readonly selector: string;
  readonly key: SigningKey;
  /** Signed header fields; those that the message lacks are signed as absent. */
  readonly fields?: readonly string[];
  /** Further tags, unchanged, such as `x=1700000000`. */
  readonly tags?: readonly string[];
  /** How many octets of the canonical body are signed, and how many the `l=` tag states. */
  readonly length?: { readonly signed: number; readonly stated: number };
  readonly algorithm?: string;
}

export function rsaKey(bits = 2048): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const p = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  return { algorithm: 'rsa-sha256', privateKey, record: `v=DKIM1; k=rsa; p=${p}` };
}

export function ed25519Key(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const p = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  return { algorithm: 'ed25519-sha256', privateKey, record: `v=DKIM1; k=ed25519; p=${p}` };
}

/** The message (with CRLF line endings) with a DKIM-Signature on top. */
export function signed(message: string, options: SignatureOptions): string {
  const { domain, selector, key, fields = ['from', 'subject', 'date'], tags = [], length } = options;
  const end = message.indexOf('\r\n\r\n');
  const header = message.slice(0, end).split(/\r\n(?![ \t])/);
  const body = relaxedBody(message.slice(end + 4));
  const covered = length === undefined ? body : body.slice(0, length.signed);
  const hash = options.algorithm?.endsWith('-sha1') ? 'sha1' : 'sha256';
  const bodyHash = createHash(hash).update(covered, 'latin1').digest('base64');
  const value = [
    `v=1; a=${options.algorithm ?? key.algorithm}; c=relaxed/relaxed; d=${domain}; s=${selector}`,
    ...(length === undefined ? [] : [`l=${length.stated}`]),
    ...tags,
    `h=${fields.join(':')}; bh=${bodyHash}; b=`,
  ].join('; ');
  const left = [...header];
  const picked = fields.flatMap((name) => {
    const at = left.findLastIndex((line) => line.toLowerCase().startsWith(`${name}:`));
    return at === -1 ? [] : left.splice(at, 1);
  });
  const hashed = `${picked.map((line) => `${relaxedField(line)}\r\n`).join('')}${relaxedField(`DKIM-Signature: ${value}`)}`;
  const octets = Buffer.from(hashed, 'latin1');
  const signature =
    key.algorithm === 'rsa-sha256'
      ? sign(hash, octets, key.privateKey)
      : sign(null, createHash('sha256').update(octets).digest(), key.privateKey);
  return `DKIM-Signature: ${value}${signature.toString('base64')}\r\n${message}`;
}

function relaxedField(line: string): string {
  const colon = line.indexOf(':');
  const value = line
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
  return `${line.slice(0, colon).toLowerCase().trim()}:${value}`;
}

function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => withSingleBlanks(line).replace(/ $/, ''));
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}

/** Works in steps of limited length: on a run of 20 MB a regular expression may exhaust its stack. */
function withSingleBlanks(line: string): string {
  let single = line;
  while (/[ \t]{2}|\t/.test(single)) single = single.replace(/[ \t]{1,1000}/g, ' ');
  return single;
}

/** The form of an RSA key of this length, always the same one; its modulus is no product of primes. */
export function rsaForm(bits: number, type: 'spki' | 'pkcs1' = 'spki'): string {
  const modulus = Buffer.alloc(Math.ceil(bits / 8), 0xab);
  modulus[0] = 1 << ((bits - 1) % 8);
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ type, format: 'der' }).toString('base64');
}
