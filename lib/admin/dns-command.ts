/** `npm run dns`: prints or checks the DNS records that a deployment needs. */
import * as z from 'zod/mini';
import { systemClock } from '../../shared/network/clock.ts';
import { createResolver, systemServers } from '../../shared/network/resolver.ts';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config/config.ts';
import { type DnsFacts, type DnsRecord, requiredRecords } from '../cloud/dns-records.ts';
import { commandLine, read } from '../terminal/command-line.ts';
import { jsonLines, visible } from '../terminal/text.ts';
import { type Publication, publicationOf } from './dns-check.ts';
import { type DnsFlags, gapsOf, readFacts } from './dns-facts.ts';
import { comment, zoneFile } from './zone-file.ts';

interface DnsOutcome {
  readonly output: string;
  readonly code: 0 | 1;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the command.
 * @throws CommandError for invalid arguments and unreadable files, ConfigError for malformed values.
 */
export async function runDns(args: readonly string[], environment: Environment): Promise<DnsOutcome> {
  let run: Run | undefined;
  const program = commandLine('dns', 'check --outputs outputs.json')
    .description(
      'Before the first deployment, use the last four options instead of --outputs. Together with --outputs they override it. To query other resolvers than those of the system, set DNS_SERVERS.',
    )
    .option(
      '--outputs <file>',
      'the file that "cdk deploy --outputs-file <file>" wrote; it contains all of the values below, and the DKIM records that SES generated',
    )
    .option('--reports-domain <name>', 'the domain that receives reports')
    .option('--tester-domain <name>', 'the domain that receives test messages')
    .option('--region <region>', 'the AWS region')
    .option('--alert-sender <address>', 'the sender address of alerts')
    .option('--json', 'print JSON, with the status of each record if they are checked');
  program
    .command('print')
    .description('print the DNS records that a deployment needs, in zone file format')
    .action(() => {
      run = print;
    });
  program
    .command('check')
    .description('check whether the records are published; exits with code 0 if all of them are')
    .action(() => {
      run = (facts, json) => check(facts, json, environment);
    });
  const { json = false, ...flags } = read(program, args).opts<DnsFlags & { json?: boolean }>();
  return (run ?? print)(await readFacts(flags), json);
}

type Run = (facts: DnsFacts, json: boolean) => DnsOutcome | Promise<DnsOutcome>;

function print(facts: DnsFacts, json: boolean): DnsOutcome {
  const records = requiredRecords(facts);
  const notListed = gapsOf(facts);
  const lines = json
    ? jsonLines({ records, notListed })
    : [...zoneFile(records), ...notListed.map((gap) => comment(`Not listed: ${gap}`))];
  return { output: lines.join('\n'), code: 0 };
}

async function check(facts: DnsFacts, json: boolean, environment: Environment): Promise<DnsOutcome> {
  const { DNS_SERVERS } = readEnvironment(
    z.object({ DNS_SERVERS: environmentSchema.shape.DNS_SERVERS }),
    environment,
  );
  const servers = DNS_SERVERS.length > 0 ? DNS_SERVERS : systemServers();
  const dns = createResolver({ servers, clock: systemClock });
  const records = requiredRecords(facts);
  const publications = await Promise.all(records.map((record) => publicationOf(record, records, dns)));
  const notListed = gapsOf(facts);
  const published = publications.filter(({ status }) => status === 'published').length;
  const shown = json
    ? jsonLines({ records: records.map((record, at) => ({ ...record, ...publications[at] })), notListed })
    : [
        ...records.flatMap((record, at) => lines(record, publications[at])),
        ...notListed.map((gap) => `${pad('unknown')}${gap}`),
        `${published} of ${records.length} records are published`,
      ];
  const isComplete = published === records.length && notListed.length === 0;
  return { output: shown.join('\n'), code: isComplete ? 0 : 1 };
}

const INDENT = 15;
const pad = (text: string): string => text.padEnd(INDENT);

function lines({ name, type, value, why }: DnsRecord, publication: Publication | undefined): string[] {
  if (publication === undefined) return [];
  const { status } = publication;
  const line = `${pad(status)}${name} ${type} ${value}`;
  switch (status) {
    case 'published':
      return [line];
    case 'missing':
      return [line, `${pad('')}${why}`];
    case 'differs':
      return [line, ...publication.there.map((there) => `${pad('')}found: ${visible(there)}`)];
    case 'lookup failed':
      return [line, `${pad('')}${publication.reason}`];
  }
}
