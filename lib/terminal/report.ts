/** The output of `npm run inspect`: a domain's score, its checks, their findings, and what to do next. */

import { checkTitles, findingsOf, mapResults } from '../../shared/checks/checks.ts';
import type { CheckResults } from '../../shared/checks/results.ts';
import type { CheckName, CheckState, UsageType } from '../../shared/checks/state.ts';
import { describeFor } from '../../shared/protocol/findings/catalogue.ts';
import type { DescribedFinding, Severity } from '../../shared/protocol/findings/finding.ts';
import type { Score } from '../../shared/score/shapes.ts';
import { components as allComponents, type Component } from '../../shared/score/weights.ts';
import { factsOf } from './facts.ts';
import { type Paint, painter, type Style, shorten, visible, wrap } from './text.ts';

export interface Inspection {
  readonly domain: string;
  readonly results: CheckResults;
  readonly score: Score;
  readonly usage: UsageType;
  /** The duration of the checks. */
  readonly milliseconds: number;
}

export interface ReportStyle {
  /** Whether to write SGR sequences. The caller decides, based on the terminal and NO_COLOR. */
  readonly colour: boolean;
  /** The number of columns of the terminal. */
  readonly width: number;
}

export const NARROWEST = 40;
export const WIDEST = 120;
const BAR_CELLS = 25;
/** Limits of findings per severity and of characters per sentence, because foreign records could fill screens. */
const MOST_FINDINGS = 20;
export const LONGEST_SENTENCE = 500;
const MOST_TODOS = 3;

const names: Readonly<Record<CheckName | Component, string>> = { ...checkTitles, dane: 'DANE' };
const NAME_COLUMN = 9;

const states: Readonly<Record<CheckState, { symbol: string; word: string; style: Style }>> = {
  pass: { symbol: '✓', word: 'pass', style: 'green' },
  warning: { symbol: '!', word: 'warning', style: 'yellow' },
  fail: { symbol: '✗', word: 'fail', style: 'red' },
  absent: { symbol: '-', word: 'absent', style: 'magenta' },
  'not-applicable': { symbol: '·', word: 'n/a', style: 'dim' },
  unknown: { symbol: '?', word: 'unknown', style: 'cyan' },
};
const STATE_COLUMN = 9;

const severities: readonly { severity: Severity; heading: string; style: Style }[] = [
  { severity: 'error', heading: 'Errors', style: 'red' },
  { severity: 'warning', heading: 'Warnings', style: 'yellow' },
  { severity: 'notice', heading: 'Advice', style: 'cyan' },
];

/**
 * Renders the report as text that ends in a newline. No external text reaches the terminal unchanged: the first step
 * escapes control characters and invisible characters.
 */
export function renderReport(inspection: Inspection, { colour, width }: ReportStyle): string {
  const made = visible(inspection);
  const shown = { ...made, results: withoutNeedless(made.results, made.score) };
  const columns = Math.min(Math.max(width, NARROWEST), WIDEST);
  const paint = painter(colour);
  const sections = [
    headLines(shown, columns, paint),
    checkLines(shown, columns, paint),
    ...findingSections(shown, columns, paint),
    todoLines(shown.score, columns, paint),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headLines(inspection: Inspection, columns: number, paint: Paint): readonly string[] {
  const { domain, score, usage, milliseconds } = inspection;
  const title = `${paint('bold', domain)}  ${usage}, checked in ${(milliseconds / 1000).toFixed(1)} s`;
  if (score.score === null) {
    return [title, '', `  ${paint('bold', score.label)}`, ...wrap(score.message ?? '', columns, '  ')];
  }
  const style = score.score >= 80 ? 'green' : score.score >= 60 ? 'yellow' : 'red';
  const grade = `${score.grade} ${score.label}`;
  const outOf = `${score.score} of 100`;
  const cells = Math.min(BAR_CELLS, columns - `  ${grade}, ${outOf}  `.length);
  const filled = Math.round((score.score * cells) / 100);
  const bar = paint(style, '█'.repeat(filled)) + paint('dim', '░'.repeat(cells - filled));
  const judged =
    score.confidence === 1
      ? []
      : [`  ${Math.round(score.confidence * 100)}% of the score could be evaluated`];
  return [title, '', `  ${paint(style, grade)}, ${paint('bold', outOf)}  ${bar}`, ...judged];
}

function checkLines(inspection: Inspection, columns: number, paint: Paint): readonly string[] {
  const { domain, results, score } = inspection;
  const checks = Object.keys(results) as CheckName[];
  const scored = new Map<string, CheckState>(
    score.components.map(({ component, state }) => [component, state]),
  );
  const lines = checks.map((check) => {
    const { symbol, word, style } = states[scored.get(check) ?? results[check].state];
    const { primary, note } = factsOf(check, results, domain);
    const head = `${names[check].padEnd(NAME_COLUMN)}${paint(style, word.padEnd(STATE_COLUMN))}`;
    const room = columns - '  ✓ '.length - NAME_COLUMN - STATE_COLUMN;
    const tail = shorten(note, room);
    const between = primary === '' || tail === '' ? '' : '   ';
    const fact = shorten(primary, Math.max(room - between.length - [...tail].length, 0));
    const facts = fact === '' ? tail : `${fact}${between}${paint('dim', tail)}`;
    return `  ${paint(style, symbol)} ${head}${facts}`.trimEnd();
  });
  const unknown = checks.some((check) => results[check].state === 'unknown');
  return unknown ? [...lines, '', ...wrap('? = lookup failed; not scored.', columns, '  ')] : lines;
}

/**
 * A check that is absent and carries weight only for other usage types is not a gap, so it is shown as not applicable.
 */
function withoutNeedless(results: CheckResults, { components }: Score): CheckResults {
  return mapResults(results, (check, result) => {
    const isOf = (listed: readonly string[]) => listed.includes(check);
    const isNeeded = isOf(components.map(({ component }) => component)) || !isOf(allComponents);
    return isNeeded || result.state !== 'absent'
      ? result
      : { ...result, state: 'not-applicable', findings: [] };
  });
}

function findingSections(
  { domain, results }: Inspection,
  columns: number,
  paint: Paint,
): readonly (readonly string[])[] {
  const all = allFindings(domain, results);
  return severities.map(({ severity, heading, style }) => {
    const found = all.filter(({ finding }) => finding.severity === severity);
    if (found.length === 0) return [];
    const more = found.length - MOST_FINDINGS;
    return [
      paint(style, `${heading} (${found.length})`),
      ...found
        .slice(0, MOST_FINDINGS)
        .flatMap(({ check, finding }) => [
          ...entry(
            names[check],
            `${shorten(finding.message, LONGEST_SENTENCE)} (${finding.cites})`,
            columns,
            paint,
          ),
          ...entry('', `Fix: ${shorten(finding.fix, LONGEST_SENTENCE)}`, columns, paint),
        ]),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ];
  });
}

/** Returns every finding once, although the DKIM check and its selectors can both contain it. */
function allFindings(
  domain: string,
  results: CheckResults,
): readonly { check: CheckName; finding: DescribedFinding }[] {
  const checks = Object.keys(results) as CheckName[];
  const byIdentity = new Map(
    checks.flatMap((check) =>
      findingsOf(check, results).map((finding) => {
        const described = { check, finding: describeFor({ domain })(finding) };
        return [`${finding.id} ${finding.subject ?? ''}`, described] as const;
      }),
    ),
  );
  return [...byIdentity.values()];
}

/** What several components need is shown once. */
function todoLines({ components }: Score, columns: number, paint: Paint): readonly string[] {
  const byTodo = Map.groupBy(
    components.filter(({ todo }) => todo !== null),
    ({ todo }) => todo,
  );
  if (byTodo.size === 0) return [];
  const todos = [...byTodo].map(([todo, group]) => {
    const shown = group.map(({ component }) => names[component]);
    return { todo, shown, gain: group.reduce((sum, { gain }) => sum + gain, 0) };
  });
  return [
    paint('bold', 'What to do next'),
    ...todos
      .toSorted((a, b) => b.gain - a.gain)
      .slice(0, MOST_TODOS)
      .flatMap(({ todo, shown: [first = '', ...rest], gain }) => {
        const points = `+${gain.toFixed(1)} points`;
        return rest.length === 0
          ? entry(first, `${points}: ${todo}`, columns, paint)
          : entry('Several', `${points} (${[first, ...rest].join(', ')}): ${todo}`, columns, paint);
      }),
  ];
}

/** Formats a name in the left column with text beside it. */
function entry(name: string, text: string, columns: number, paint: Paint): readonly string[] {
  const indent = ' '.repeat('  '.length + NAME_COLUMN);
  const [first = '', ...rest] = wrap(text, columns, indent);
  return [
    `  ${paint('bold', name)}${' '.repeat(NAME_COLUMN - name.length)}${first.slice(indent.length)}`,
    ...rest,
  ];
}
