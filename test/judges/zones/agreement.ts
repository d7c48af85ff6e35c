/** Where another judge agrees with us about zones, and where not. */
import { disagreements } from './disagreements.ts';
import { zoneFaults } from './faults.ts';
import type { OtherJudge } from './observed.ts';
import { domainOf, type FaultClass, inOrder, type ZoneFault } from './zone-fault.ts';

/** Complaints by judge and domain; ours are under `ours`. */
export type Said = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface Cell {
  readonly agree: number;
  /** Faults that one alone finds. */
  readonly onlyOurs: number;
  readonly onlyTheirs: number;
}

export interface Agreement {
  readonly judge: string;
  readonly zones: number;
  readonly cells: Partial<Readonly<Record<FaultClass, Cell>>>;
  readonly unexplained: readonly string[];
  /** Explanations of disagreements that there are not. */
  readonly unused: readonly string[];
}

const nameOf = ({ class: of, fault }: Pick<ZoneFault, 'class' | 'fault'>) => `${of}: ${fault}`;

export function agreementOf({ name: judge, classes }: OtherJudge, said: Said): Agreement {
  const zones = zoneFaults.filter(({ class: of }) => classes.includes(of));
  const cells: Partial<Record<FaultClass, Cell>> = {};
  const unexplained: string[] = [];
  const explained = new Set(
    disagreements
      .filter((it) => it.judge === judge)
      .flatMap(({ who, class: of, faults }) =>
        faults.map((fault) => `${who} ${nameOf({ class: of, fault })}`),
      ),
  );
  for (const zone of zones) {
    const ours = beyondOrder(zone, said.ours);
    const theirs = beyondOrder(zone, said[judge]);
    const verdict = compare(ours, theirs);
    const { agree, onlyOurs, onlyTheirs } = cells[zone.class] ?? { agree: 0, onlyOurs: 0, onlyTheirs: 0 };
    cells[zone.class] = {
      agree: agree + (verdict === 'agree' ? 1 : 0),
      onlyOurs: onlyOurs + (verdict === 'ours' ? 1 : 0),
      onlyTheirs: onlyTheirs + (verdict === 'theirs' ? 1 : 0),
    };
    if (verdict === 'agree' || explained.delete(`${verdict} ${nameOf(zone)}`)) continue;
    unexplained.push(`${verdict} ${nameOf(zone)} (${(verdict === 'ours' ? ours : theirs).join(', ')})`);
  }
  return { judge, zones: zones.length, cells, unexplained, unused: [...explained] };
}

/** Who finds something that the other does not. Our notices are advice: nobody else has to give it. */
function compare(ours: readonly string[], theirs: readonly string[]): 'agree' | 'ours' | 'theirs' {
  if (theirs.length > 0) return ours.length > 0 ? 'agree' : 'theirs';
  return ours.some((finding) => !finding.startsWith('notice ')) ? 'ours' : 'agree';
}

/** What is said about a zone, and not about the zone of its class that is in order. */
function beyondOrder(zone: ZoneFault, complaints: Said[string] = {}): readonly string[] {
  const of = (fault: string) => complaints[domainOf({ class: zone.class, fault })] ?? [];
  if (zone.fault === inOrder) return [];
  const always = of(inOrder);
  return of(zone.fault).filter((complaint) => !always.includes(complaint));
}
