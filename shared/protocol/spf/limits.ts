/** Every bound on the work that a domain's SPF records can cause. */

/** Terms that query the DNS in one evaluation (RFC 7208 section 4.6.4). */
export const MAX_LOOKUPS = 10;

/** From here on a record is close enough to the limit to tell its owner (the interface specification). */
export const MANY_LOOKUPS = 8;

/** Terms whose query returns nothing in one evaluation (RFC 7208 section 4.6.4). */
export const MAX_VOID_LOOKUPS = 2;

/** MX names of one `mx` mechanism; more end in permerror (RFC 7208 section 4.6.4). */
export const MAX_MX_NAMES = 10;

/** PTR names looked at for one client; the rest are ignored (RFC 7208 section 4.6.4). */
export const MAX_PTR_NAMES = 10;

/** Characters to which an expanded name is cut by leaving out labels on the left (RFC 7208 section 7.3). */
export const MAX_NAME = 253;

/** Characters of an explanation that are kept; as it goes into an SMTP reply, more would not be of use. */
export const MAX_EXPLANATION = 1000;

/** Octets of name and record up to which an answer fits every transport (RFC 7208 section 3.4). */
export const RECOMMENDED_OCTETS = 450;

/** What one expansion may take: far beyond every record that evaluates, and small enough to store. */
export interface ExpansionLimits {
  /** Nodes of the tree: records reached by `include` and `redirect`, each time they are reached. */
  readonly records: number;
  readonly terms: number;
  /** Different questions to the DNS. */
  readonly questions: number;
  /** Octets of all answers. */
  readonly octets: number;
  /** No look-up starts later than this; RFC 7208 section 4.6.4 wants evaluators to allow at least 20 seconds. */
  readonly milliseconds: number;
}

export const EXPANSION_LIMITS: ExpansionLimits = {
  records: 100,
  terms: 500,
  questions: 300,
  octets: 32_768,
  milliseconds: 20_000,
};
