/** Findings as SARIF 2.1.0, which GitHub code scanning reads. */
import { lineOf } from './annotations.ts';
import type { CheckedDomain, Found } from './check.ts';

const levels = { error: 'error', warning: 'warning', notice: 'note' } as const;

/** @param file The zone file, to which results belong; without one, they belong to a file with the name of the domain. */
export function sarifOf(
  checked: readonly CheckedDomain[],
  file: string | undefined,
  version: string,
): object {
  const found = checked.flatMap((one) => one.findings.map((finding) => ({ ...one, finding })));
  const rules = new Map(found.map(({ finding }) => [finding.id, finding]));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'email-domain-security-monitor', version, rules: [...rules.values()].map(ruleOf) },
        },
        results: found.map(({ domain, zone, finding }) => ({
          ruleId: finding.id,
          level: levels[finding.severity],
          message: { text: `${domain}: ${finding.message} ${finding.fix}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file ?? domain },
                region: { startLine: zone === undefined ? 1 : lineOf(finding, zone) },
              },
            },
          ],
          partialFingerprints: {
            finding: `${domain} ${finding.check} ${finding.id} ${finding.subject ?? ''}`,
          },
          ...(finding.isNew !== null && { baselineState: finding.isNew ? 'new' : 'unchanged' }),
        })),
      },
    ],
  };
}

const ruleOf = ({ id, cites, severity }: Found) => ({
  id,
  shortDescription: { text: `${id} (${cites})` },
  defaultConfiguration: { level: levels[severity] },
});
