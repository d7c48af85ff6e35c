/**
 * Names of report files: `receiver!policy-domain!begin!end[!unique-id].extension` (RFC 7489 section 7.2.1.1, RFC 8460
 * section 5.1). They provide values that a report does not state.
 */
import type { Period } from './period.ts';

interface ReportFileName extends Period {
  readonly domain: string;
  readonly reportId: string | undefined;
}

/** Undefined if the name has another format. Leading folders are ignored. */
export function reportFileName(name: string): ReportFileName | undefined {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const parts =
    /^[^!]{0,253}!([^!]{1,253})!(\d{1,11})!(\d{1,11})(?:!([^!.]{1,200}))?(?:\.[\w.]{1,40})?$/.exec(base);
  if (parts === null) return undefined;
  const [, domain = '', begin, end, reportId] = parts;
  return { domain, begin: instant(begin), end: instant(end), reportId };
}

const instant = (seconds: string | undefined): Date => new Date(Number(seconds) * 1000);
