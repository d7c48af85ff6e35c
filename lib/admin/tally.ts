/** What became of report files and mails, for people: how many of each outcome, and which files and why. */
import { pluralize } from '../../shared/protocol/quantity.ts';
import {
  type MailOutcome,
  type MailOutcomeKind,
  mailOutcomeKinds,
  storedKinds,
} from '../../shared/store/reports/mail-outcomes.ts';

const GONE = 'no longer stored';

/** Counts outcomes, and collects what is not a stored report, or one with warnings. */
export class Tally {
  readonly #counts = new Map<MailOutcomeKind, number>();
  /** Lines by outcome. Warnings are alike in many reports, so these are counted by their text. */
  readonly #refused = new Map<string, string[]>();
  readonly #warnings = new Map<string, { count: number; readonly first: string }>();
  #days: { readonly first: string; readonly last: string } | undefined;

  add(where: string, { kind, reason, report }: MailOutcome): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (!storedKinds.has(kind)) this.#refuse(kind, `${where}: ${reason}`);
    if (kind === 'accepted-with-warnings' && reason !== null) this.#warn(where, reason);
    if (storedKinds.has(kind) && report) this.#extend(report.begin.slice(0, 10));
  }

  /** A mail whose message is no longer stored. */
  miss(where: string): void {
    this.#refuse(GONE, where);
  }

  /** The first and the last day (UTC) on which the period of a stored report starts; undefined without any. */
  get days(): { readonly first: string; readonly last: string } | undefined {
    return this.#days;
  }

  lines(): string[] {
    const counts = mailOutcomeKinds.flatMap((kind) => {
      const count = this.#counts.get(kind);
      return count === undefined ? [] : [`  ${String(count).padStart(8)}  ${kind}`];
    });
    const warnings = [...this.#warnings].map(
      ([reason, { count, first }]) =>
        `  - ${count === 1 ? first : `${pluralize(count, 'time')}, first in ${first}`}: ${reason}`,
    );
    const refused = [...mailOutcomeKinds, GONE].flatMap((kind) => {
      const lines = this.#refused.get(kind) ?? [];
      return lines.length === 0 ? [] : ['', `${kind}:`, ...lines.map((line) => `  - ${line}`)];
    });
    return [...counts, ...(warnings.length === 0 ? [] : ['', 'warnings:', ...warnings]), ...refused];
  }

  #refuse(kind: string, line: string): void {
    const lines = this.#refused.get(kind);
    if (lines === undefined) this.#refused.set(kind, [line]);
    else lines.push(line);
  }

  #warn(where: string, reason: string): void {
    const known = this.#warnings.get(reason);
    if (known === undefined) this.#warnings.set(reason, { count: 1, first: where });
    else known.count += 1;
  }

  #extend(day: string): void {
    const { first = day, last = day } = this.#days ?? {};
    this.#days = { first: day < first ? day : first, last: day > last ? day : last };
  }
}
