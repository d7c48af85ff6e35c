/**
 * What was typed into a form of the console whose session had ended: kept in a cookie of the browser until it signs in again.
 * Nothing is stored on the server, because nobody is signed in.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod/mini';

const NAME = '__Host-form';
/** Lax, because the identity provider, another site, redirects the browser back. */
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const KEPT_SECONDS = 15 * 60;
/** In characters: browsers keep cookies of 4 KB (RFC 6265bis section 5.6). What is longer is not kept. */
const MAX_LENGTH = 3800;
const MAX_OCTETS = 64 * 1024;

const keptForm = z.object({
  /** The organization of the session. */
  organization: z.string(),
  /** The name of the route of the form, where it was sent, and the page that it is on. */
  form: z.string(),
  action: z.string(),
  page: z.string(),
  typed: z.record(z.string(), z.string()),
  /** The session goes on, but the form needs a new proof of who the person is. */
  isProof: z.optional(z.boolean()),
});

export type KeptForm = Readonly<z.infer<typeof keptForm>>;

/** The header of a response that keeps a form; without what was typed if that is too long. */
export function keptFormCookie(kept: KeptForm): { readonly 'set-cookie': string } {
  const text = packed(kept);
  const value = text.length > MAX_LENGTH ? packed({ ...kept, typed: {} }) : text;
  return {
    'set-cookie': `${NAME}=${value}; ${ATTRIBUTES}; Max-Age=${KEPT_SECONDS}`,
  };
}

/** The header of a response after which the browser keeps no form. */
export const endedKeptForm = {
  'set-cookie': `${NAME}=; ${ATTRIBUTES}; Max-Age=0`,
};

/** The form in the cookies of a request; undefined if there is none, or something else. */
export function keptFormIn(cookies: readonly string[]): KeptForm | undefined {
  const prefix = `${NAME}=`;
  const text = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
  if (text === undefined) return undefined;
  try {
    const octets = inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: MAX_OCTETS });
    const parsed = keptForm.safeParse(JSON.parse(octets.toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // The browser, or somebody else, wrote it.
    return undefined;
  }
}

const packed = (kept: KeptForm): string => deflateRawSync(JSON.stringify(kept)).toString('base64url');
