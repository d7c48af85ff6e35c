/** What can need a person: the kinds of attention items, a row each. */
import * as z from 'zod/mini';
import type { AlertSeverity } from '../alerts/alert.ts';
import { described } from '../protocol/schema.ts';
import { neverCameDetail, stoppedDetail, stoppedTitle } from './report-texts.ts';
import { stepDetail, stepTitle } from './step-text.ts';

const names = ['ownership-unproven', 'reports-stopped', 'reports-never-came', 'step-loses-mail'] as const;

export const attentionKind = described(
  z.enum(names, `must be one of ${names.join(', ')}`),
  '`ownership-unproven`: the verification record of a verified domain has been missing for 30 days. `reports-stopped`: the DMARC reports of a regular reporter, or of all, stopped. `reports-never-came`: the DMARC record has asked for reports at the report mailbox for 7 days, and none came. `step-loses-mail`: since the policy became stricter, more approved mail is lost than expected',
);

export type AttentionKind = z.infer<typeof attentionKind>;

/** What the text of an item depends on. */
export interface AttentionSubject {
  readonly domainId: string;
  readonly domain: string;
  /** When its condition began; ISO 8601. */
  readonly since: string;
  /** Further facts, by kind: those of another release can differ. */
  readonly facts?: unknown;
}

interface KindRow {
  readonly severity: AlertSeverity;
  readonly title: (subject: AttentionSubject) => string;
  /** What it means and what to do, in sentences. */
  readonly detail: (subject: AttentionSubject) => string;
  /** The page of the console where a person can act: its path, and what leads there. */
  readonly action: { readonly label: string; readonly path: (subject: AttentionSubject) => string };
}

/** Text is added when an item is shown; items are stored without it. */
export const kinds: Readonly<Record<AttentionKind, KindRow>> = {
  'ownership-unproven': {
    severity: 'warning',
    title: ({ domain }) => `Ownership of ${domain} is no longer proven`,
    detail: ({ since }) =>
      `The verification record has been missing from DNS since ${since.slice(0, 10)}. Publish it again if the domain is yours, or delete the domain from this service if it is not. Until then, its data is kept and it is checked as before.`,
    action: {
      label: 'Show the verification record',
      path: ({ domainId }) => `/console/domains/${domainId}#steps`,
    },
  },
  'reports-stopped': {
    severity: 'warning',
    title: stoppedTitle,
    detail: stoppedDetail,
    action: {
      label: 'Show the DMARC reports',
      path: ({ domainId }) => `/console/domains/${domainId}/dmarc`,
    },
  },
  'reports-never-came': {
    severity: 'warning',
    title: ({ domain }) => `No DMARC reports about ${domain} have come`,
    detail: neverCameDetail,
    action: {
      label: 'Show the domain',
      path: ({ domainId }) => `/console/domains/${domainId}`,
    },
  },
  'step-loses-mail': {
    severity: 'critical',
    title: stepTitle,
    detail: stepDetail,
    action: {
      label: 'Show the enforcement',
      path: ({ domainId }) => `/console/domains/${domainId}/enforcement`,
    },
  },
};

/** Whether this release knows the kind of a stored item, which another release can have stored. */
export const isKnownKind = (kind: string): kind is AttentionKind => Object.hasOwn(kinds, kind);
