/**
 * Record summaries: the records of DMARC reports, reduced to what decides DMARC. They are what senders, simulations and
 * enforcement are computed from. Comments and the ids of reports are left out, and selectors are only counted.
 */
import * as z from 'zod/mini';
import { specification } from '../../report.ts';

const result = z.enum(['pass', 'fail']);

/** RFC 7208 section 2.6. */
export const spfResult = z.enum(['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror']);

/** RFC 9990 and RFC 7489 appendix C: why a receiver did not apply the policy. */
export const override = z.enum([
  'forwarded',
  'local_policy',
  'mailing_list',
  'other',
  'policy_test_mode',
  'sampled_out',
  'trusted_forwarder',
]);

/** What a policy asks for, and what a receiver did. */
export const disposition = z.enum(['none', 'quarantine', 'reject']);

/**
 * What decides the DMARC result of some messages, and the reported results. Domain names are in canonical form.
 *
 * Null stands for what is unknown: the report does not state it, states something else than a name or an address, or
 * the summary was too large to keep it (see `fold`).
 */
export const recordSummary = z.object({
  /** Canonical text. Null: SPF cannot be predicted for these messages. */
  sourceIp: z.nullable(z.string()),
  /** The domain in the From header. */
  headerFrom: z.nullable(z.string()),
  /**
   * The `d=` of signatures that verified, without duplicates: at most MAX_DKIM_DOMAINS, those first that align with
   * `headerFrom` in relaxed mode (organizational domains of the public suffix list), in report order otherwise.
   */
  dkimDomains: z.readonly(z.array(z.string())),
  /**
   * The domain for which SPF was evaluated: that of MAIL FROM, or of HELO if only that is reported. Null: SPF cannot be
   * predicted for these messages.
   */
  mailFrom: z.nullable(z.string()),
  /** The reported SPF result for `mailFrom`, whether it aligns or not. Kept where `mailFrom` was too large to keep. */
  spfResult: z.nullable(spfResult),
  /** The reporter's evaluation: whether DKIM and SPF passed and aligned. A message passed DMARC if one of them did. */
  dkim: result,
  spf: result,
  /** What the reporter did. `none` also for `pass` (RFC 9990) and for values that no RFC defines. */
  disposition,
  /** The types of the override reasons, without duplicates, in alphabetical order; `other` for unknown types. */
  overrides: z.readonly(z.array(override)),
  /** The number of messages. */
  count: z.number(),
});

export type RecordSummary = Readonly<z.infer<typeof recordSummary>>;

/** The policy that a reporter found. Values that no RFC defines count as missing. */
const publishedPolicy = z.object({
  /** The domain whose record applied: the monitored domain, or a subdomain with a record of its own. */
  domain: z.string(),
  p: disposition,
  sp: z.nullable(disposition),
  np: z.nullable(disposition),
  adkim: z.enum(['r', 's']),
  aspf: z.enum(['r', 's']),
  /** 0 to 100. */
  pct: z.number(),
  /** RFC 9989: `t=y`. */
  testing: z.boolean(),
});

export type PublishedPolicy = Readonly<z.infer<typeof publishedPolicy>>;

/** What reports have in common whose records are summarized together. */
export const reportFacts = z.object({
  /** The name of the reporter, at most MAX_REPORTER characters. Null: too many reporters to keep them apart. */
  reporter: z.nullable(z.string()),
  /** The specification that the report follows: RFC 9990 by its namespace or by fields that only it has. */
  specification,
  /** RFC 9990: how the reporter found the policy; null if not stated. */
  discoveryMethod: z.nullable(z.enum(['psl', 'treewalk'])),
  /** Whether the mail with the report passed DMARC; null if that was not evaluated. */
  authenticated: z.nullable(z.boolean()),
  /** The authenticated domain in the From field of that mail. Null: not authenticated, or together with `reporter`. */
  authenticatedDomain: z.nullable(z.string()),
  /** Null: together with `reporter`. */
  policy: z.nullable(publishedPolicy),
});

export type ReportFacts = Readonly<z.infer<typeof reportFacts>>;

/** Messages by DKIM selector: those with a signature of it that passed, and those that passed DMARC by SPF where none did. */
export const signedMessages = z.record(z.string(), z.tuple([z.number(), z.number()]));

export type SignedMessages = Readonly<z.infer<typeof signedMessages>>;

/** The summary of one report, or of several with the same facts. */
const reportSummary = z.extend(reportFacts, {
  /**
   * Of reports of large receivers: their messages with signatures by the registered domain, not by its subdomains. Missing
   * where reports are read without it; only selectors with the most messages are stored.
   */
  signed: z.exactOptional(signedMessages),
  /** The number of reports. 0 if the report is counted in the summary from which these records were split off. */
  reports: z.number(),
  /** No two records differ only in their count. */
  records: z.readonly(z.array(recordSummary)),
});

export type ReportSummary = Readonly<z.infer<typeof reportSummary>>;

/** The summaries of the reports whose periods begin on a day (`2026-01-31`, UTC); no two have the same facts. */
export interface DaySummary {
  readonly day: string;
  readonly summaries: readonly ReportSummary[];
}

/** The day with only the reports whose mail was authenticated: anyone can send a forged one. */
export const withAuthenticated = ({ day, summaries }: DaySummary): DaySummary => ({
  day,
  summaries: summaries.filter(({ authenticated }) => authenticated === true),
});

/** The maximum number of selectors that a report adds to `signed`, and that are stored of a day and reporter. */
export const MAX_READ_SELECTORS = 1000;
export const MAX_SELECTORS = 50;
/** The maximum number of `dkimDomains`. */
export const MAX_DKIM_DOMAINS = 10;
/** The maximum length of a reporter's name. */
export const MAX_REPORTER = 80;
/** The maximum length of a domain name in text (RFC 1035 section 2.3.4). */
export const MAX_NAME = 253;
