/**
 * What check runs observe beside records, faults and the score, a row per type of alert. Each row has values by what they are
 * about, such as a host. No values: unknown, so a failed lookup is no change. What is observed first raises no alert.
 */
import type { CheckResults } from '../checks/results.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { AlertDraft } from './alert.ts';

type Values = Readonly<Record<string, readonly string[]>>;

/** By the type of the alert that a change raises; a type that no run could observe is missing. */
type Observed = Readonly<Record<string, Values>>;

interface ObservedChange {
  readonly type: string;
  readonly about: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface Row {
  /** Undefined if it is not even known what there is to observe. */
  values(results: CheckResults): Values | undefined;
  draft(domain: string, change: ObservedChange): AlertDraft;
}

const rows: Readonly<Record<string, Row>> = {
  certificate_issuer_change: {
    values({ mx }) {
      if (mx.hosts.length === 0 && mx.state === 'unknown') return undefined;
      const names = [...new Set(mx.hosts.map(({ hostname }) => hostname))];
      const issuersOf = (host: string) =>
        mx.hosts
          .filter(({ hostname }) => hostname === host)
          .flatMap(({ certificateIssuer }) => certificateIssuer ?? []);
      return Object.fromEntries(names.map((host) => [host, [...new Set(issuersOf(host))].toSorted()]));
    },
    draft: (domain, { about: host, before, after }) => ({
      type: 'certificate_issuer_change',
      severity: 'info',
      title: `Certificate issuer of ${excerpt(host)} changed: ${domain}`,
      message: `The certificate of the MX host was issued by ${before.join(' and ')} before, and is issued by ${after.join(' and ')} now. If nobody who operates the host chose that, find out who requested the certificate.`,
      metadata: { host, previousIssuers: [...before], newIssuers: [...after] },
    }),
  },
};

export function observedIn(results: CheckResults): Observed {
  const all = Object.entries(rows).map(([type, row]) => [type, row.values(results)] as const);
  return Object.fromEntries(all.flatMap(([type, values]) => (values === undefined ? [] : [[type, values]])));
}

/** What is known after a run: the values before, and for what has none, those of the run. What is gone is forgotten. */
export function remembered(before: Observed = {}, now: Observed = {}): Observed {
  const values = Object.entries(now).map(([type, present]) => [
    type,
    Object.fromEntries(
      Object.entries(present).map(([about, found]) => {
        const known = valuesOf(before, type, about);
        return [about, known.length > 0 ? known : found];
      }),
    ),
  ]);
  return { ...before, ...Object.fromEntries(values) };
}

/** A change is that no value is left: one of several addresses of a host may not have answered. */
export function observedChanges(before: Observed = {}, now: Observed = {}): readonly ObservedChange[] {
  return Object.entries(now).flatMap(([type, present]) =>
    Object.entries(present).flatMap(([about, after]) => {
      const known = valuesOf(before, type, about);
      const isChange = known.length > 0 && after.length > 0 && !overlap(known, after);
      return isChange ? [{ type, about, before: known, after }] : [];
    }),
  );
}

export const commonObserved = (now: readonly ObservedChange[], before: readonly ObservedChange[]) =>
  now.filter(({ type, about, after }) =>
    before.some((one) => one.type === type && one.about === about && overlap(one.after, after)),
  );

export function withObserved(before: Observed = {}, changes: readonly ObservedChange[]): Observed {
  const all = Object.entries(before).map(([type, values]) => {
    const changed = changes.filter((change) => change.type === type);
    return [type, { ...values, ...Object.fromEntries(changed.map(({ about, after }) => [about, after])) }];
  });
  return Object.fromEntries(all);
}

export const observedDrafts = (domain: string, changes: readonly ObservedChange[]): readonly AlertDraft[] =>
  changes.flatMap((change) => rows[change.type]?.draft(domain, change) ?? []);

/** A stranger names hosts, also `constructor`. */
function valuesOf(observed: Observed, type: string, about: string): readonly string[] {
  const values = observed[type] ?? {};
  return Object.hasOwn(values, about) ? (values[about] ?? []) : [];
}

const overlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.includes(one));
