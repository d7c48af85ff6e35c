/** What rows of `routes.ts` have in common. */
import * as z from 'zod/mini';

/** The public interface, version 1: for holders of a token. */
export const v1 = {
  access: 'token',
  rate: 'organization',
  timeoutSeconds: 10,
  memoryMegabytes: 512,
} as const;

export const v1Errors = ['unauthorized', 'rate_limited', 'internal'] as const;

/** Tools that anybody may use. */
export const publicTool = { access: 'public', rate: 'client', memoryMegabytes: 1024 } as const;

/** An answer for people. */
export const page = { envelope: 'html', schema: z.string() } as const;

/** A look-up that starts with the last second of an SPF expansion may take six more. */
export const EXPANSION_SECONDS = 28;
