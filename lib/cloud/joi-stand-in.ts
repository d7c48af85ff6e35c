/**
 * Replaces joi in bundles, where it would be 190 kB. mailauth uses it only to ask whether a public key is base64, without
 * or with padding.
 */

/** As joi, `validate` returns an error for invalid text. */
export const string = () => ({ base64: () => ({ validate }) });

const validate = (text: string): { readonly error?: Error } =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(text)
    ? {}
    : { error: new Error('not base64') };
