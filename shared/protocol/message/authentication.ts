/** Whether a report mail is authenticated, and by what, as it is stored with the mail. */
import * as z from 'zod/mini';

export const messageAuthentication = z.object({
  /**
   * Whether the domain of the From field is authenticated by the rules of DMARC (RFC 9989 section 4.4), in relaxed mode
   * if the domain publishes no policy. Null: a lookup that decides failed.
   */
  authenticated: z.nullable(z.boolean()),
  fromDomain: z.nullable(z.string()),
  spf: z.nullable(z.object({ domain: z.string(), result: z.string() })),
  dkim: z.readonly(z.array(z.object({ domain: z.string(), selector: z.string(), result: z.string() }))),
});

export type MessageAuthentication = Readonly<z.infer<typeof messageAuthentication>>;
