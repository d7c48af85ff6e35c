/**
 * The safe changes of a plan as files for DNS tools. Names and values are foreign text: each format escapes all that it
 * would interpret.
 */
import { characterStrings, type ZoneSet } from '../protocol/zone-file/record-set.ts';
import { zoneLines } from '../protocol/zone-file/write.ts';
import type { Plan } from './plan.ts';

export type FixFormat = 'zone' | 'route53' | 'terraform';

/** Writes the safe changes of a plan in a format. */
export function writeFixes(plan: Plan, format: FixFormat): string {
  const sets = plan.changes.flatMap(({ class: kind, name, type, ttl, after }) =>
    kind === 'safe' ? [{ name, type, ttl, values: after }] : [],
  );
  return writers[format](sets);
}

const writers: Readonly<Record<FixFormat, (sets: readonly ZoneSet[]) => string>> = {
  zone: (sets) => lines(sets.flatMap(zoneLines)),
  route53: (sets) => lines([JSON.stringify(changeBatch(sets), null, 2)]),
  terraform: (sets) => lines(sets.length === 0 ? [] : [VARIABLE, ...sets.map(resource)]),
};

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');

/** The change batch of Route 53's `ChangeResourceRecordSets`. */
export function changeBatch(sets: readonly ZoneSet[]) {
  return {
    Comment: 'Recommended changes of mail records',
    Changes: sets.map(({ name, type, ttl, values }) => ({
      Action: 'UPSERT' as const,
      ResourceRecordSet: {
        Name: `${name}.`,
        Type: type,
        TTL: ttl,
        ResourceRecords: values.map((value) => ({ Value: type === 'TXT' ? quotedForRoute53(value) : value })),
      },
    })),
  };
}

/** Quoted strings in which the octets other than plain ASCII are `\` and three octal digits (Route 53 Developer Guide). */
function quotedForRoute53(text: string): string {
  return characterStrings(text)
    .map((string) => `"${Array.from(string, route53Character).join('')}"`)
    .join(' ');
}

function route53Character(octet: number): string {
  const character = String.fromCharCode(octet);
  return /[ !#-[\]-~]/.test(character) ? character : `\\${octet.toString(8).padStart(3, '0')}`;
}

const VARIABLE = `variable "zone_id" {
  type        = string
  description = "ID of the Route 53 hosted zone"
}`;

function resource({ name, type, ttl, values }: ZoneSet): string {
  const label = `${name}_${type}`.toLowerCase().replace(/[^a-z0-9_]/g, '_');
  // The provider adds the outer quotation marks of TXT records itself.
  const records = values.map((value) => hcl(type === 'TXT' ? quotedForRoute53(value).slice(1, -1) : value));
  return `
resource "aws_route53_record" "r_${label}" {
  zone_id         = var.zone_id
  name            = ${hcl(name)}
  type            = "${type}"
  ttl             = ${ttl}
  allow_overwrite = true
  records = [
${records.map((record) => `    ${record},`).join('\n')}
  ]
}`;
}

/** A quoted template of HCL, in which nothing is interpolated. Route 53's escapes leave only printable ASCII. */
function hcl(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replace(/[$%](?=\{)/g, '$&$&')}"`;
}
