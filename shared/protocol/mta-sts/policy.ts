/** The policy of MTA-STS at `https://mta-sts.<domain>/.well-known/mta-sts.txt` (RFC 8461 section 3.2). */
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, hasErrors, raiser } from '../findings/finding.ts';
import { mtaStsRules } from '../findings/mta-sts.ts';
import { isHostName } from '../host-name.ts';
import { trimMatching } from '../trim.ts';

/** RFC 8461 section 3.3: senders may stop reading at 64 kilobytes. */
export const MAX_POLICY_OCTETS = 65_536;

/** RFC 8461 section 3.2: about one year. */
const MAX_MAX_AGE = 31_557_600;

export const modes = ['enforce', 'testing', 'none'] as const;
export type Mode = (typeof modes)[number];

export interface MtaStsPolicy {
  readonly version: 'STSv1';
  readonly mode: Mode;
  /** Seconds for which senders may cache the policy. */
  readonly maxAge: number;
  /** MX host names and `*.` patterns as published, in order. */
  readonly mx: readonly string[];
}

export interface ParsedPolicy {
  /** Null if an error makes the policy invalid. */
  readonly policy: MtaStsPolicy | null;
  /** The contents, valid or not: the first value of each field by name. Every `mx` value is in `mx`. */
  readonly fields: ReadonlyMap<string, string>;
  readonly mx: readonly string[];
  readonly findings: readonly Finding[];
}

const raise = raiser(mtaStsRules);

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;

/** A line: a name, a colon, and a value without leading or trailing space (sts-policy-field). Undefined for other lines. */
function readField(line: string): readonly [name: string, value: string] | undefined {
  const colon = line.indexOf(':');
  const [name, value] = [line.slice(0, Math.max(colon, 0)), trimMatching(line.slice(colon + 1), /[ \t]/)];
  const isField = NAME.test(name) && value !== '' && value === value.trim() && !/\p{Cc}/u.test(value);
  return isField ? [name, value] : undefined;
}

/**
 * Parses a policy. Lines end with LF or CRLF. Unknown fields are kept. Of duplicate fields other than `mx`, the first
 * counts. The grammar does not allow blank lines, but they are only a warning, because senders skip them.
 */
export function parsePolicy(body: Uint8Array): ParsedPolicy {
  const fields = new Map<string, string>();
  const mx: string[] = [];
  const findings: Finding[] = [];
  if (body.length > MAX_POLICY_OCTETS) {
    return refused(raise('mta-sts-policy-too-large', { limit: MAX_POLICY_OCTETS }));
  }
  const text = decode(body);
  if (text === undefined) {
    return refused(raise('mta-sts-policy-malformed', { line: 1, text: 'not UTF-8', count: 1 }));
  }

  const repeated = new Set<string>();
  const malformed: { line: number; text: string }[] = [];
  const blank: number[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    const [name, value = ''] = readField(line) ?? [];
    if (name === undefined) {
      if (/^[ \t]*$/.test(line)) blank.push(index + 1);
      else malformed.push({ line: index + 1, text: excerpt(line) });
    } else if (name === 'mx') mx.push(value);
    else if (fields.has(name)) repeated.add(name);
    else fields.set(name, value);
  }
  if (malformed[0] !== undefined) {
    findings.push(raise('mta-sts-policy-malformed', { ...malformed[0], count: malformed.length }));
  }
  if (blank[0] !== undefined) findings.push(raise('mta-sts-policy-blank-line', { line: blank[0] }));
  if (repeated.size > 0) {
    findings.push(raise('mta-sts-policy-fields-repeated', { names: excerpts([...repeated]) }));
  }
  const policy = readPolicy(fields, mx, findings);
  return { policy: hasErrors(findings) ? null : policy, fields, mx, findings };
}

function readPolicy(
  fields: ReadonlyMap<string, string>,
  mx: readonly string[],
  findings: Finding[],
): MtaStsPolicy | null {
  const field = <T>(name: string, read: (value: string) => T | undefined): T | undefined => {
    const value = fields.get(name);
    const known = value === undefined ? undefined : read(value);
    if (value === undefined) findings.push(raise('mta-sts-policy-field-missing', { name }));
    else if (known === undefined) {
      findings.push(raise('mta-sts-policy-field-invalid', { name, value: excerpt(value) }));
    }
    return known;
  };
  const version = field('version', (value) => (value === 'STSv1' ? value : undefined));
  const mode = field('mode', (value) => modes.find((known) => known === value));
  const maxAge = field('max_age', readMaxAge);
  const wrong = mx.find((value) => !isMxPattern(value));
  if (wrong !== undefined) {
    findings.push(raise('mta-sts-policy-field-invalid', { name: 'mx', value: excerpt(wrong) }));
  } else if (mx.length === 0 && mode !== undefined && mode !== 'none') {
    findings.push(raise('mta-sts-policy-field-missing', { name: 'mx' }));
  }
  if (version === undefined || mode === undefined || maxAge === undefined) return null;
  return { version, mode, maxAge, mx };
}

function readMaxAge(value: string): number | undefined {
  return /^\d{1,10}$/.test(value) && Number(value) <= MAX_MAX_AGE ? Number(value) : undefined;
}

/** `["*."] Domain`, with Domain as in RFC 5321 section 4.1.2: no U-labels, no underscores, no trailing dot. */
function isMxPattern(value: string): boolean {
  const name = value.startsWith('*.') ? value.slice(2) : value;
  return isHostName(name);
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Keeps a byte order mark, because senders do not ignore it. */
function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function refused(finding: Finding): ParsedPolicy {
  return { policy: null, fields: new Map(), mx: [], findings: [finding] };
}
