/** The limits on the work that the SPF records of a domain can cause. */

/** Terms that cause DNS lookups in one evaluation (RFC 7208 section 4.6.4). */
export const MAX_LOOKUPS = 10;

/** From this number on, a record is close enough to the limit for a warning (interface specification). */
export const MANY_LOOKUPS = 8;

/** Void lookups in one evaluation (RFC 7208 section 4.6.4). */
export const MAX_VOID_LOOKUPS = 2;

/** MX records of one `mx` mechanism; more cause a permerror (RFC 7208 section 4.6.4). */
export const MAX_MX_NAMES = 10;

/** PTR names to evaluate for one client; the rest are ignored (RFC 7208 section 4.6.4). */
export const MAX_PTR_NAMES = 10;

/** Maximum length of an expanded name in characters; longer names lose labels on the left (RFC 7208 section 7.3). */
export const MAX_NAME = 253;

/** Maximum length of an explanation in characters. It is part of an SMTP reply, so more would be useless. */
export const MAX_EXPLANATION = 1000;

/** Maximum combined length of name and record, in octets, for an answer to fit any transport (RFC 7208 section 3.4). */
export const RECOMMENDED_OCTETS = 450;

/** Limits of one expansion: far above every record that can be evaluated, and small enough for storage. */
export interface ExpansionLimits {
  /** Nodes of the tree: records reached by `include` and `redirect`, counted each time. */
  readonly records: number;
  readonly terms: number;
  /** Different DNS lookups. */
  readonly questions: number;
  /** Size of all answers in octets. */
  readonly octets: number;
  /** No lookup starts later than this. RFC 7208 section 4.6.4 recommends allowing at least 20 seconds. */
  readonly milliseconds: number;
}

export const EXPANSION_LIMITS: ExpansionLimits = {
  records: 100,
  terms: 500,
  questions: 300,
  octets: 32_768,
  milliseconds: 20_000,
};
