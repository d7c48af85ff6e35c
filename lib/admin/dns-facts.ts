/** The values that a deployment's DNS records depend on, from stack outputs and flags. */

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { domainOf } from '../../shared/protocol/mail-address.ts';
import { hostName, readEnvironment } from '../../shared/runtime/config/config.ts';
import { factsOf } from '../cloud/dns-outputs.ts';
import type { DkimToken, DnsFacts } from '../cloud/dns-records.ts';
import { settingsSchema } from '../cloud/settings.ts';
import { UsageError } from '../terminal/command-line.ts';
import { readStackOutputs, severalDeployments } from './stack-outputs.ts';

export interface DnsFlags {
  readonly outputs?: string | undefined;
  readonly reportsDomain?: string | undefined;
  readonly testerDomain?: string | undefined;
  readonly region?: string | undefined;
  readonly alertSender?: string | undefined;
}

const schema = z.object({
  reportsDomain: z.optional(hostName),
  testerDomain: z.optional(hostName),
  region: settingsSchema.shape.region,
  alertSender: settingsSchema.shape.alertSender,
});

/**
 * The values from the flags and the outputs file; flags take precedence.
 * @throws CommandError if a required value is missing or the file cannot be read, ConfigError for a malformed value.
 */
export async function readFacts({ outputs, ...flags }: DnsFlags): Promise<DnsFacts> {
  const deployed = outputs === undefined ? {} : await readOutputs(outputs);
  const { reportsDomain, testerDomain, region, alertSender } = readEnvironment(schema, {
    reportsDomain: flags.reportsDomain ?? deployed.reportsDomain,
    testerDomain: flags.testerDomain ?? deployed.testerDomain,
    region: flags.region ?? deployed.region,
    alertSender: flags.alertSender ?? deployed.alertSender,
  });
  if (reportsDomain === undefined || testerDomain === undefined || region === undefined) {
    throw new UsageError('use --outputs, or all of --reports-domain, --tester-domain, and --region');
  }
  if (reportsDomain === testerDomain)
    throw new UsageError('the reports domain and the tester domain must be different');
  return { dkimTokens: [], ...deployed, reportsDomain, testerDomain, region, alertSender };
}

/** Required records whose names are not known yet, as sentences. */
export function gapsOf({ reportsDomain, testerDomain, alertSender, dkimTokens }: DnsFacts): string[] {
  const domains = [
    reportsDomain,
    testerDomain,
    ...(alertSender === undefined ? [] : [domainOf(alertSender)]),
  ];
  return [...new Set(domains)]
    .filter((domain) => !dkimTokens.some(({ name }) => name.endsWith(`._domainkey.${domain}`)))
    .map(
      (domain) =>
        `three CNAME records <key>._domainkey.${domain}: SES generates the keys during deployment; to include them, use --outputs`,
    );
}

async function readOutputs(path: string): Promise<Partial<DnsFacts>> {
  const dkimTokens: DkimToken[] = [];
  const known: Record<string, unknown> = {};
  for (const outputs of await readStackOutputs(path)) {
    const { dkimTokens: keys = [], ...facts } = factsOf(outputs);
    dkimTokens.push(...keys);
    for (const [name, value] of Object.entries(facts)) {
      if (!isDeepStrictEqual(known[name] ?? value, value)) throw severalDeployments(path);
      known[name] = value;
    }
  }
  return { ...known, dkimTokens };
}
