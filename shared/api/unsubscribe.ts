/** The request of the link that turns a digest off. */
import * as z from 'zod/mini';
import { missing } from './common.ts';

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

export const unsubscribePathParameters = z.object({
  organization: z.string().check(z.maxLength(64, missing.unsubscribe)),
  token: z.string().check(z.regex(TOKEN, missing.unsubscribe)),
});
