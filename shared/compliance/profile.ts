/**
 * A compliance profile: the requirements of a document, and for each one which findings and facts of stored check results decide
 * it. A profile is a table, in a file of `profiles`; `evaluate.ts` reads it.
 */
import { sendsMail, type UsageType } from '../checks/state.ts';
import type { FindingId } from '../protocol/findings/catalogue.ts';
import type { FactId } from './facts.ts';
import type { Coverage, Level } from './shapes.ts';

/** A document that requirements are from. */
export interface Source {
  readonly title: string;
  /** Where its publisher has it; null only for profiles of organizations. */
  readonly address: string | null;
  /** The day or month of the version that was read (ISO 8601); null if what was read does not say it. */
  readonly date: string | null;
  /** How much of it was read for this profile, and where. */
  readonly read: string;
}

/**
 * Which domains a requirement is about. `senders` and `non-senders`: those whose usage type says so. `parked`: those that neither
 * send nor receive. `receivers`: those with MX hosts, whatever the usage type says.
 */
export type Scope = 'all' | 'senders' | 'non-senders' | 'parked' | 'receivers';

/** A rule of the catalogue, or a fact, which violates the requirement where it is found. */
export type RuleId = FindingId | FactId;

interface RequirementText<SourceKey extends string> {
  /** Stable, and unique within the profile; the identifier of the source if it has one. */
  readonly id: string;
  /** Where in the source it is. */
  readonly section: string;
  readonly source: SourceKey;
  /** What it requires, in our words; of an interpretation also how it is understood. */
  readonly text: string;
  readonly level: Level;
}

interface Decided {
  readonly coverage: Exclude<Coverage, 'not covered'>;
  readonly scope: Scope;
  /** A rule that reports a failed lookup leaves the requirement unknown. */
  readonly rules: readonly [RuleId, ...RuleId[]];
}

interface NotCovered {
  readonly coverage: 'not covered';
  readonly scope?: never;
  readonly rules?: never;
}

export type Requirement<SourceKey extends string = string> = RequirementText<SourceKey> &
  (Decided | NotCovered);

export interface Profile<SourceKey extends string = string> {
  readonly name: string;
  /** Of the documents, as their publishers call it. */
  readonly version: string;
  /** Whom it concerns and what this table leaves out, in sentences. */
  readonly description: string;
  /** The first one is the main one. */
  readonly sources: Readonly<Record<SourceKey, Source>>;
  readonly requirements: readonly Requirement<NoInfer<SourceKey>>[];
}

/** A profile as it is written: its requirements by their IDs. Its `source`, `level` and `scope` are those of rows that name none. */
type Table<SourceKey extends string> = Omit<Profile<SourceKey>, 'requirements'> & {
  readonly source: NoInfer<SourceKey>;
  readonly level: Level;
  readonly scope: Scope;
  readonly requirements: Readonly<Record<string, Row<NoInfer<SourceKey>>>>;
};

/** Without rules, nothing covers it. */
type Row<SourceKey extends string> = Pick<RequirementText<SourceKey>, 'section' | 'text'> &
  Partial<Pick<RequirementText<SourceKey>, 'source' | 'level'>> &
  ((Omit<Decided, 'scope'> & Partial<Pick<Decided, 'scope'>>) | Partial<NotCovered>);

/** The profile with what its rows leave out. */
export const profile = <SourceKey extends string>({
  source,
  level,
  scope,
  requirements,
  ...table
}: Table<SourceKey>): Profile<SourceKey> => ({
  ...table,
  requirements: Object.entries(requirements).map(([id, row]) =>
    row.rules === undefined
      ? { id, source, level, coverage: 'not covered', ...row }
      : { id, source, level, scope, ...row },
  ),
});

/** Whether a requirement is about domains with this usage type; undefined if only check results say so. */
export function concerns(scope: Scope, usage: UsageType): boolean | undefined {
  switch (scope) {
    case 'all':
      return true;
    case 'senders':
      return sendsMail(usage);
    case 'non-senders':
      return !sendsMail(usage);
    case 'parked':
      return usage === 'parked';
    case 'receivers':
      return undefined;
  }
}
