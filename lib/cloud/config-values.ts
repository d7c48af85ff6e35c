/** Checks for conflicts between the settings of a deployment. */

import { isWithin } from '../../shared/protocol/domain-name.ts';
import { domainOf } from '../../shared/protocol/mail-address.ts';
import { mailFromDomain } from './dns-records.ts';
import { acceptedOf } from './former-domains.ts';
import { EDGE_REGION, type Settings } from './settings.ts';

/** The first conflict between settings that are individually valid. */
export function problemOf(settings: Settings): string | undefined {
  for (const problemIn of [
    ...[addresses, former, partition, domains, people, api, edge, receiving, zones, network],
  ]) {
    const problem = problemIn(settings);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Reserved domains (RFC 2606, RFC 6761), which cannot receive mail. */
const RESERVED = /(?:^|\.)(?:test|example|invalid|localhost|example\.(?:com|net|org))$/;

function addresses({ environment: { HOST_URL, REPORTS_DOMAIN, TESTER_DOMAIN } }: Settings) {
  if (HOST_URL?.startsWith('http:')) return 'hostUrl must start with https://';
  if (!REPORTS_DOMAIN || !TESTER_DOMAIN)
    return 'reportsDomain and testerDomain are required: the domains that receive mail';
  if (REPORTS_DOMAIN === TESTER_DOMAIN) return 'reportsDomain and testerDomain must be different';
  return undefined;
}

function former({ formerReportsDomains, formerTesterDomains, environment }: Settings) {
  const all = [
    environment.REPORTS_DOMAIN,
    environment.TESTER_DOMAIN,
    ...[...formerReportsDomains, ...formerTesterDomains].map(({ name }) => name),
  ];
  const twice = all.find((name, at) => all.indexOf(name) !== at);
  return (
    twice && `${twice} is in reportsDomain, testerDomain, formerReportsDomains and formerTesterDomains twice`
  );
}

/** Other AWS partitions, where SES endpoints, console URLs, and ARNs have different names. */
const OTHER_PARTITION = /^(?:cn|us-gov|us-iso[a-z]?|eu-isoe)-/;

function partition({ region, secondMailRegion, certificateArn }: Settings) {
  const places = { region, secondMailRegion, certificateArn: certificateArn?.split(':')[3] };
  for (const [key, place] of Object.entries(places)) {
    if (place !== undefined && OTHER_PARTITION.test(place))
      return `${key} must be in the standard AWS partition: ${place} uses different SES and console names, which are not supported`;
  }
  return undefined;
}

/** Those of the deployment, and former ones that it still accepts. */
function receivingDomains({
  formerReportsDomains,
  formerTesterDomains,
  environment: { REPORTS_DOMAIN = '', TESTER_DOMAIN = '' },
}: Pick<Settings, 'formerReportsDomains' | 'formerTesterDomains' | 'environment'>): readonly string[] {
  return [REPORTS_DOMAIN, TESTER_DOMAIN, ...acceptedOf([...formerReportsDomains, ...formerTesterDomains])];
}

function domains({
  keepData,
  apiDomain,
  alertSender,
  existingAlertIdentity,
  alarmEmail,
  ticketEmail,
  monthlyBudget,
  canarySecretArn,
  ...settings
}: Settings) {
  if (existingAlertIdentity && alertSender === undefined)
    return 'existingAlertIdentity requires alertSender: the address whose domain has the identity';
  const own = receivingDomains(settings);
  if (
    alertSender !== undefined &&
    own.some((domain) => [domainOf(alertSender), mailFromDomain(alertSender)].includes(domain))
  )
    return `alertSender must be in another domain: mail to it, or to ${mailFromDomain(alertSender)}, would be received as reports or test messages`;
  for (const [key, address] of Object.entries({ alarmEmail, ticketEmail }))
    if (address !== undefined && own.includes(domainOf(address)))
      return `${key} must be in another domain: nobody reads mail to reportsDomain and testerDomain`;
  if (canarySecretArn !== undefined && alertSender === undefined)
    return 'canarySecretArn requires alertSender, from which the canary sends its mail';
  if (monthlyBudget > 0 && alarmEmail === undefined && ticketEmail === undefined)
    return 'monthlyBudget requires alarmEmail or ticketEmail: AWS tells of a budget by mail';
  const used = [...own, apiDomain, alertSender && domainOf(alertSender)];
  const reserved = used.find((domain) => domain !== undefined && RESERVED.test(domain));
  if (keepData && reserved !== undefined)
    return `${reserved} is a reserved example domain; a stage that keeps its data requires your own domain`;
  return undefined;
}

function api({ apiDomain, certificateArn, disableExecuteApiEndpoint, region }: Settings) {
  if ((apiDomain === undefined) !== (certificateArn === undefined))
    return 'apiDomain and certificateArn must be set together';
  if (disableExecuteApiEndpoint && apiDomain === undefined)
    return 'disableExecuteApiEndpoint requires apiDomain: without it, the API has no endpoint';
  const certificateRegion = certificateArn?.split(':')[3];
  if (region !== undefined && certificateRegion !== undefined && certificateRegion !== region)
    return `certificateArn is in ${certificateRegion}, but the certificate must be in the region of the API, ${region}`;
  return undefined;
}

function people({ oidcSecretArn, environment: { OIDC_ISSUER, OIDC_CLIENT_ID } }: Settings) {
  if ((OIDC_ISSUER === undefined) !== (OIDC_CLIENT_ID === undefined))
    return 'oidcIssuer and oidcClientId must be set together';
  return oidcSecretArn && OIDC_ISSUER === undefined ? 'oidcSecretArn requires oidcIssuer' : undefined;
}

/** AWS, "Rate-based rule statement": the lowest limit. */
const LOWEST_RATE = 10;

function edge({ wafRequestsPer5Minutes, edgeCertificateArn, apiDomain, region, environment }: Settings) {
  if (wafRequestsPer5Minutes === 0)
    return edgeCertificateArn && 'edgeCertificateArn requires wafRequestsPer5Minutes';
  if (wafRequestsPer5Minutes < LOWEST_RATE)
    return `wafRequestsPer5Minutes must be 0 or at least ${LOWEST_RATE}`;
  const { HOST_URL = '' } = environment;
  if (region === undefined || apiDomain === undefined || edgeCertificateArn === undefined)
    return 'wafRequestsPer5Minutes requires region, apiDomain, hostUrl and edgeCertificateArn';
  if (HOST_URL === `https://${apiDomain}`)
    return 'wafRequestsPer5Minutes requires a hostUrl that differs from apiDomain: clients use the first, CloudFront the second';
  if (edgeCertificateArn.split(':')[3] !== EDGE_REGION)
    return `edgeCertificateArn must be in ${EDGE_REGION}, where CloudFront looks for certificates`;
  return undefined;
}

function receiving({
  receiptRuleSetName,
  takeOverActiveRuleSet,
  secondMailRegion,
  account,
  region,
}: Settings) {
  if (secondMailRegion !== undefined && (account === undefined || region === undefined))
    return 'secondMailRegion requires account and region, on which names in both regions depend';
  if (secondMailRegion !== undefined && secondMailRegion === region)
    return 'secondMailRegion must be another region than region';
  if (receiptRuleSetName !== undefined && takeOverActiveRuleSet)
    return 'takeOverActiveRuleSet conflicts with receiptRuleSetName, which keeps the active rule set';
  return undefined;
}

function zones(settings: Settings) {
  const { hostedZones, apiDomain, alertSender } = settings;
  const names = [...receivingDomains(settings), apiDomain, alertSender && domainOf(alertSender)];
  const idle = hostedZones.find(
    (zone) => !names.some((name) => name !== undefined && isWithin(name, zone.name)),
  );
  return idle && `hostedZones contains ${idle.name}, but no domain of this deployment is in that zone`;
}

function network({ natPerZone, smtpProbe, backupCopyVaultArn, keepData }: Settings) {
  if (backupCopyVaultArn !== undefined && !keepData)
    return 'backupCopyVaultArn requires keepData: backups of a bucket need versions of its objects';
  return natPerZone && !smtpProbe ? 'natPerZone requires smtpProbe, which has the network' : undefined;
}
