/** Workflow commands: annotations that GitHub shows beside the lines of a file. */
import type { CheckName } from '../../shared/checks/state.ts';
import { visible } from '../terminal/text.ts';
import type { CheckedDomain, Found } from './check.ts';

/** What a line of a zone file mentions that a check is about. */
const mentions: Readonly<Record<CheckName, RegExp>> = {
  mx: /\sMX\s/i,
  spf: /v=spf1/i,
  dkim: /\._domainkey\b/i,
  dmarc: /^_dmarc\b/i,
  mtaSts: /^_?mta-sts\b/i,
  tlsRpt: /^_smtp\._tls\b/i,
  bimi: /\._bimi\b/i,
  dnssec: /\s(?:DS|DNSKEY)\s/i,
  caa: /\sCAA\s/i,
};

/** The line of the zone file that a finding is about, counted from 1; the first one if none mentions it. */
export function lineOf({ check }: Pick<Found, 'check'>, zone: string): number {
  const at = zone.split('\n').findIndex((line) => mentions[check].test(line));
  return at === -1 ? 1 : at + 1;
}

/** A workflow command. What is in it cannot end it, or begin another one. */
export function command(
  name: 'error' | 'warning' | 'notice',
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const given = Object.entries(properties).map(([key, value]) => `${key}=${escapedProperty(String(value))}`);
  return `::${name}${given.length === 0 ? '' : ` ${given.join(',')}`}::${escaped(visible(message))}`;
}

const escaped = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string =>
  escaped(visible(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** The annotations of a domain: with a comparison, only of what is new. */
export function annotations(
  { domain, findings, zone }: CheckedDomain,
  file: string | undefined,
): readonly string[] {
  return findings
    .filter(({ isNew, severity }) => isNew ?? severity !== 'notice')
    .map((found) =>
      command(
        found.severity,
        {
          ...(file !== undefined && zone !== undefined && { file, line: lineOf(found, zone) }),
          title: `${domain}: ${found.id}`,
        },
        `${found.message} (${found.cites}) ${found.fix}`,
      ),
    );
}
