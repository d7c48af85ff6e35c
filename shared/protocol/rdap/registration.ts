/** What the registry says about a domain, from its RDAP answer (RFC 9083). */
import * as z from 'zod/mini';
import { canonicalName } from '../domain-name.ts';
import { excerpt } from '../findings/excerpt.ts';
import { parsed } from './bootstrap.ts';

/** Fields of an answer that another shape than the standard's cannot break: registries differ. */
const lenient = <S extends z.ZodMiniType>(schema: S) => z.catch(z.optional(schema), undefined);

const dsData = z.object({
  keyTag: z.int().check(z.minimum(0), z.maximum(65_535)),
  algorithm: z.number(),
  digestType: z.number(),
  digest: z.string(),
});

const answer = z.object({
  objectClassName: z.literal('domain'),
  ldhName: z.string(),
  status: lenient(z.array(z.string())),
  events: lenient(z.array(z.object({ eventAction: z.string(), eventDate: z.string() }))),
  secureDNS: lenient(z.object({ delegationSigned: lenient(z.boolean()), dsData: lenient(z.array(dsData)) })),
});

export const registration = z.object({
  /** ISO 8601; null if the registry does not say. */
  expiresAt: z.nullable(z.string()),
  /** In lowercase, such as `client transfer prohibited` (RFC 8056); empty if the registry does not say. */
  statuses: z.array(z.string()),
  /** The key tags of the DS records at the registry; null if the registry does not say. */
  keyTags: z.nullable(z.array(z.number())),
});

export type Registration = Readonly<z.infer<typeof registration>>;

/** Far more than the status codes that exist, and than a delegation has DS records. */
const MAX_STATUSES = 32;
const MAX_DS = 32;

/** Undefined if it is not an answer about `domain`. */
export function readRegistration(body: Uint8Array, domain: string): Registration | undefined {
  const { data } = z.safeParse(answer, parsed(body));
  if (data === undefined || canonicalName(data.ldhName) !== domain) return undefined;
  const { status = [], events = [], secureDNS } = data;
  const expires = events.find(({ eventAction }) => eventAction === 'expiration')?.eventDate ?? '';
  const end = Date.parse(expires);
  return {
    expiresAt: Number.isNaN(end) ? null : new Date(end).toISOString(),
    statuses: status.slice(0, MAX_STATUSES).map((text) => excerpt(text.toLowerCase(), 60)),
    keyTags: keyTagsOf(secureDNS),
  };
}

/** Registries that say that a delegation is signed often leave the records out. */
function keyTagsOf(secure: z.infer<typeof answer>['secureDNS']): number[] | null {
  if (secure === undefined) return null;
  const { delegationSigned, dsData: ds } = secure;
  if (ds !== undefined && ds.length > 0) return [...new Set(ds.slice(0, MAX_DS).map(({ keyTag }) => keyTag))];
  return delegationSigned === false ? [] : null;
}
