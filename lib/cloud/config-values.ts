/** What settings of a deployment mean, and which of them do not go together. */

import { isWithin } from '../../shared/protocol/domain-name.ts';
import { domainOf } from '../../shared/protocol/mail-address.ts';
import type { Settings } from './config.ts';
import { mailFromDomain } from './dns-records.ts';

/** A zone of Route 53 in this account. */
export interface HostedZone {
  /** Without the final dot. */
  readonly name: string;
  readonly id: string;
}

/** `example.org=Z0123456789ABC,...`. @throws an Error whose message completes "hostedZones ...". */
export function parseHostedZones(text: string): readonly HostedZone[] {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  return entries.map((entry) => {
    const [, name, id] = /^\s*([a-z0-9-]+(?:\.[a-z0-9-]+)+)=(Z[A-Z0-9]{1,31})\s*$/.exec(entry) ?? [];
    if (name === undefined || id === undefined)
      throw new Error(
        `must hold name=id with commas between, such as example.org=Z0123456789ABC; not: ${entry}`,
      );
    return { name, id };
  });
}

/** The zone that a name lies in, the longest of several. */
export function zoneOf(name: string, zones: readonly HostedZone[]): HostedZone | undefined {
  const [longest] = zones
    .filter((zone) => isWithin(name, zone.name))
    .toSorted((a, b) => b.name.length - a.name.length);
  return longest;
}

/** The first thing that is wrong with settings that are right one by one. */
export function problemOf(settings: Settings): string | undefined {
  for (const look of [addresses, partition, domains, api, receiving, zones]) {
    const problem = look(settings);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** RFC 2606 and RFC 6761: nobody receives mail at these. */
const RESERVED = /(?:^|\.)(?:test|example|invalid|localhost|example\.(?:com|net|org))$/;

function addresses({ environment: { HOST_URL, REPORTS_DOMAIN, TESTER_DOMAIN } }: Settings) {
  if (HOST_URL?.startsWith('http:')) return 'hostUrl must begin with https://';
  if (!REPORTS_DOMAIN || !TESTER_DOMAIN)
    return 'reportsDomain and testerDomain are needed: the domains that receive mail';
  if (REPORTS_DOMAIN === TESTER_DOMAIN) return 'reportsDomain and testerDomain must be different';
  return undefined;
}

/** The other partitions of AWS, where SES, the console and ARNs have other names. */
const OTHER_PARTITION = /^(?:cn|us-gov|us-iso[a-z]?|eu-isoe)-/;

function partition({ region, certificateArn }: Settings) {
  for (const [key, place] of Object.entries({ region, certificateArn: certificateArn?.split(':')[3] })) {
    if (place !== undefined && OTHER_PARTITION.test(place))
      return `${key} must be of AWS's commercial partition: the names of SES and of the console are others in ${place}`;
  }
  return undefined;
}

function domains({
  stage,
  apiDomain,
  alertSender,
  existingAlertIdentity,
  alarmEmail,
  environment,
}: Settings) {
  if (existingAlertIdentity && alertSender === undefined)
    return 'existingAlertIdentity needs alertSender: it is the identity of its domain';
  const { REPORTS_DOMAIN = '', TESTER_DOMAIN = '' } = environment;
  const own = [REPORTS_DOMAIN, TESTER_DOMAIN];
  if (
    alertSender !== undefined &&
    own.some((domain) => [domainOf(alertSender), mailFromDomain(alertSender)].includes(domain))
  )
    return `alertSender must be of another domain: mail to it, or to ${mailFromDomain(alertSender)}, would come in as reports or tests`;
  if (alarmEmail !== undefined && own.includes(domainOf(alarmEmail)))
    return 'alarmEmail must be of another domain: nobody reads reportsDomain and testerDomain';
  const used = [...own, apiDomain, alertSender && domainOf(alertSender)];
  const reserved = used.find((domain) => domain !== undefined && RESERVED.test(domain));
  if (stage === 'prod' && reserved !== undefined)
    return `${reserved} is only an example; prod needs a domain of yours`;
  return undefined;
}

function api({ apiDomain, certificateArn, disableExecuteApiEndpoint, region }: Settings) {
  if ((apiDomain === undefined) !== (certificateArn === undefined))
    return 'apiDomain and certificateArn are needed together';
  if (disableExecuteApiEndpoint && apiDomain === undefined)
    return 'disableExecuteApiEndpoint needs apiDomain: the API would answer nowhere';
  const certificateRegion = certificateArn?.split(':')[3];
  if (region !== undefined && certificateRegion !== undefined && certificateRegion !== region)
    return `certificateArn is of ${certificateRegion}; the API's certificate must be of ${region}, as the region says`;
  return undefined;
}

function receiving({ receiptRuleSetName, takeOverActiveRuleSet }: Settings) {
  if (receiptRuleSetName !== undefined && takeOverActiveRuleSet)
    return 'takeOverActiveRuleSet does not go with receiptRuleSetName, which leaves the active rule set alone';
  return undefined;
}

function zones({ hostedZones, apiDomain, alertSender, environment }: Settings) {
  const names = [
    environment.REPORTS_DOMAIN,
    environment.TESTER_DOMAIN,
    apiDomain,
    alertSender && domainOf(alertSender),
  ];
  const idle = hostedZones.find(
    (zone) => !names.some((name) => name !== undefined && isWithin(name, zone.name)),
  );
  return idle && `hostedZones names ${idle.name}, in which no domain of this deployment lies`;
}
