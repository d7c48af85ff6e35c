/** `npm run preflight`: what would make a deployment fail late, or lose mail, and how to fix it. Changes nothing. */
import { isWithin } from '../../../shared/protocol/domain-name.ts';
import { domainOf } from '../../../shared/protocol/mail-address.ts';
import { pluralize } from '../../../shared/protocol/quantity.ts';
import { ADMIN_OUTPUT, parseAdminEnvironment } from '../../cloud/admin-output.ts';
import { acceptedOf } from '../../cloud/former-domains.ts';
import { RECEIVING_REGIONS } from '../../cloud/receiving-regions.ts';
import { EDGE_REGION, type Settings } from '../../cloud/settings.ts';
import { type StackPart, stackName, stackParts } from '../../cloud/stack-names.ts';
import type { Account, DeployedStack } from './account.ts';

export interface Finding {
  /** A problem makes the deployment fail, or loses something; a warning does not. */
  readonly kind: 'problem' | 'warning';
  readonly what: string;
  readonly fix: string;
}

/** The stacks of the stage that exist. */
export type Stacks = ReadonlyMap<StackPart, DeployedStack>;

interface Asked {
  readonly account: Account;
  readonly settings: Settings;
  readonly stacks: Stacks;
}

export function regionOf(
  part: StackPart,
  { region }: Account,
  { secondMailRegion }: Pick<Settings, 'secondMailRegion'>,
): string {
  if (part === 'edge') return EDGE_REGION;
  return part === 'mail-second' ? (secondMailRegion ?? region) : region;
}

export async function stacksOf(settings: Settings, account: Account): Promise<Stacks> {
  const found = new Map<StackPart, DeployedStack>();
  for (const part of stackParts) {
    const stack = await account.stack(stackName(settings, part), regionOf(part, account, settings));
    if (stack !== undefined) found.set(part, stack);
  }
  return found;
}

/** States of a stack whose creation has not succeeded yet. */
const UNCREATED = ['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED'];

export const isCreated = (stack: DeployedStack | undefined): boolean =>
  stack !== undefined && !UNCREATED.includes(stack.status);

/** The identity comes first: without it, nothing else can be asked. */
export async function preflight(settings: Settings, account: Account): Promise<readonly Finding[]> {
  const wrong = await identity({ account, settings });
  if (wrong !== undefined) return [wrong];
  const asked = { account, settings, stacks: await stacksOf(settings, account) };
  const questions = [region, bootstrap, stackStates, ruleSet, identities, sending, concurrency];
  const all = [...questions, certificates, hostedZones, reportAddresses];
  return (await Promise.all(all.map((question) => answered(question, asked)))).flat();
}

/** What is found: nothing, one thing or several. */
type Answer = Finding | readonly Finding[];

/** A question that AWS does not answer, for example without the permission to ask, is a warning. */
async function answered(question: (asked: Asked) => Promise<Answer>, asked: Asked): Promise<Answer> {
  try {
    return await question(asked);
  } catch (error) {
    const { name, message } = error as Error;
    return warning(
      `AWS did not say: ${name}: ${message}`,
      'ask with credentials that may read this, or go on',
    );
  }
}

const problem = (what: string, fix: string): Finding => ({ kind: 'problem', what, fix });
const warning = (what: string, fix: string): Finding => ({ kind: 'warning', what, fix });

async function identity({ account, settings }: Pick<Asked, 'account' | 'settings'>) {
  try {
    const number = await account.identity();
    if (settings.account === undefined || settings.account === number) return undefined;
    return problem(
      `the credentials are of the account ${number}, but the settings are for ${settings.account}`,
      'use the credentials of that account, for example with AWS_PROFILE',
    );
  } catch (error) {
    return problem(
      `AWS does not accept the credentials: ${(error as Error).message}`,
      'sign in, for example with "aws sso login", and set AWS_PROFILE',
    );
  }
}

async function region({ account, settings: { secondMailRegion } }: Asked) {
  return [account.region, ...(secondMailRegion === undefined ? [] : [secondMailRegion])]
    .filter((place) => !RECEIVING_REGIONS.includes(place))
    .map((place) =>
      warning(
        `SES may not receive mail in ${place}`,
        `use one of ${RECEIVING_REGIONS.join(', ')}, or look at "Email receiving endpoints" in the AWS General Reference`,
      ),
    );
}

async function bootstrap({ account, settings }: Asked) {
  // With a qualifier, the stack can have any name.
  if (settings.qualifier !== undefined) return [];
  const regions = [
    account.region,
    ...(settings.wafRequestsPer5Minutes > 0 ? [EDGE_REGION] : []),
    ...(settings.secondMailRegion === undefined ? [] : [settings.secondMailRegion]),
  ];
  const missing = [];
  for (const place of new Set(regions))
    if ((await account.stack('CDKToolkit', place)) === undefined)
      missing.push(
        problem(
          `${place} has no bootstrap resources`,
          `npx cdk bootstrap aws://${await account.identity()}/${place} -c settings=<file>`,
        ),
      );
  return missing;
}

async function stackStates({ stacks, settings }: Asked) {
  return [...stacks].flatMap(([part, { status }]) => {
    const name = stackName(settings, part);
    if (status === 'UPDATE_ROLLBACK_FAILED')
      return problem(
        `the stack ${name} could not be rolled back`,
        `aws cloudformation continue-update-rollback --stack-name ${name}`,
      );
    if (status.endsWith('_FAILED'))
      return problem(
        `the stack ${name} is in the state ${status}`,
        `find out why in its events, then: aws cloudformation delete-stack --stack-name ${name}`,
      );
    const isBusy = status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS';
    return isBusy ? problem(`the stack ${name} is in the state ${status}`, 'wait until that has ended') : [];
  });
}

async function ruleSet({ account, settings, stacks }: Asked) {
  const { receiptRuleSetName, takeOverActiveRuleSet, secondMailRegion } = settings;
  const active = await account.activeRuleSet(account.region);
  const second = secondMailRegion && (await account.activeRuleSet(secondMailRegion));
  const theirs = second === stacks.get('mail-second')?.outputs.RuleSetName ? undefined : second;
  const elsewhere =
    !theirs || takeOverActiveRuleSet
      ? []
      : problem(
          `the receipt rule set ${theirs} is active in ${secondMailRegion}, and only one can be`,
          'set takeOverActiveRuleSet to replace it, or choose another secondMailRegion',
        );
  return [elsewhere, ofFirst()].flat();

  function ofFirst() {
    if (receiptRuleSetName !== undefined)
      return active === receiptRuleSetName
        ? []
        : problem(
            `the receipt rule set ${receiptRuleSetName} is not active`,
            `aws ses set-active-receipt-rule-set --rule-set-name ${receiptRuleSetName}`,
          );
    const ours = stacks.get('mail')?.outputs.RuleSetName;
    if (active === undefined || active === ours || takeOverActiveRuleSet) return [];
    return problem(
      `the receipt rule set ${active} is active, and only one can be`,
      `set receiptRuleSetName to ${active} to add the rules to it, or takeOverActiveRuleSet to replace it`,
    );
  }
}

async function identities({ account, settings, stacks }: Asked) {
  if (isCreated(stacks.get('mail'))) return [];
  const { alertSender, existingAlertIdentity, environment } = settings;
  const sender = alertSender === undefined || existingAlertIdentity ? [] : [domainOf(alertSender)];
  const domains = [environment.REPORTS_DOMAIN ?? [], environment.TESTER_DOMAIN ?? [], sender].flat();
  const found = [];
  for (const domain of domains)
    if (await account.hasMailIdentity(domain))
      found.push(
        problem(
          `SES has an identity for ${domain} already`,
          sender.includes(domain)
            ? 'set existingAlertIdentity to use it'
            : `if nothing else uses it: aws sesv2 delete-email-identity --email-identity ${domain}`,
        ),
      );
  return found;
}

/** Deliveries of a worker in a second. */
const DELIVERIES_PER_SECOND = 10;

async function sending({ account, settings: { alertSender, notificationWorkers } }: Asked) {
  if (alertSender === undefined) return [];
  const { isSandbox, perSecond } = await account.mailLimits();
  if (isSandbox)
    return problem(
      'the account is in the sandbox of SES, so alerts reach verified addresses only',
      'request production access in the SES console, which takes about a day; until then, leave out alertSender',
    );
  const wanted = notificationWorkers * DELIVERIES_PER_SECOND;
  if (perSecond >= wanted) return [];
  return warning(
    `SES sends ${perSecond} mails a second, and ${notificationWorkers} notificationWorkers can send ${wanted}`,
    'nothing is lost, because alerts are tried again; for large bursts, request a higher sending rate in Service Quotas',
  );
}

/** Queues whose workers have no setting. */
const OTHER_QUEUES = 3;

async function concurrency({ account, settings }: Asked) {
  const quota = await account.lambdaConcurrency();
  const { lambdaConcurrency, checkWorkers, mailWorkers, notificationWorkers, otherWorkers } = settings;
  if (lambdaConcurrency > quota)
    return problem(
      `lambdaConcurrency is ${lambdaConcurrency}, but the account can run ${quota} functions at once`,
      `set lambdaConcurrency to ${quota}, or request a higher quota ("Concurrent executions") first`,
    );
  const busy = checkWorkers + 3 * mailWorkers + 2 * notificationWorkers + OTHER_QUEUES * otherWorkers;
  if (busy > quota)
    return warning(
      `background jobs can use ${busy} functions at once, and the account can run ${quota}`,
      'request a quota of 1,000 in Service Quotas ("Concurrent executions"); until then, requests can get a 503 while much is done',
    );
  return lambdaConcurrency === 0
    ? warning(
        `lambdaConcurrency is not set, so background jobs use ${busy} functions at once, and the account can run ${quota}`,
        `set lambdaConcurrency to ${quota}`,
      )
    : [];
}

async function certificates({ account, settings }: Asked) {
  const { certificateArn, apiDomain, edgeCertificateArn, environment } = settings;
  const host = environment.HOST_URL && new URL(environment.HOST_URL).hostname;
  const pairs = [
    [certificateArn, apiDomain, account.region],
    [edgeCertificateArn, host, EDGE_REGION],
  ] as const;
  const findings = await Promise.all(
    pairs.map(async ([arn, name, place]) => {
      if (arn === undefined || name === undefined) return [];
      const { status, names } = await account.certificate(arn, place);
      if (status !== 'ISSUED')
        return problem(
          `the certificate for ${name} is not issued: ${status}`,
          'publish its validation record, and wait until ACM has seen it',
        );
      const parent = name.slice(name.indexOf('.') + 1);
      if (names.includes(name) || names.includes(`*.${parent}`)) return [];
      return problem(`the certificate ${arn} is not for ${name}`, 'request one that is');
    }),
  );
  return findings.flat();
}

async function hostedZones({ account, settings }: Asked) {
  const findings = await Promise.all(
    settings.hostedZones.map(async ({ name, id }) => {
      const found = await account.hostedZone(id);
      if (found !== undefined && isWithin(name, found) && isWithin(found, name)) return [];
      const what = found === undefined ? `there is no hosted zone ${id}` : `the zone ${id} is ${found}`;
      return problem(`${what}, but the settings say ${name}`, 'aws route53 list-hosted-zones');
    }),
  );
  return findings.flat();
}

/** How many domains a finding names. */
const MOST_NAMED = 20;

/** A domain of reports is in the DNS records of others, who have to change them before it can go. */
async function reportAddresses({ account, settings, stacks }: Asked) {
  const deployed = parseAdminEnvironment(stacks.get('service')?.outputs[ADMIN_OUTPUT] ?? '');
  if (deployed === undefined) return [];
  const { REPORTS_DOMAIN, FORMER_REPORTS_DOMAINS, TABLE_NAME } = deployed;
  const accepted = [settings.environment.REPORTS_DOMAIN ?? '', ...acceptedOf(settings.formerReportsDomains)];
  const dropped = [REPORTS_DOMAIN, ...FORMER_REPORTS_DOMAINS.split(',')].filter(
    (name) => name !== '' && !accepted.includes(name),
  );
  if (dropped.length === 0) return [];
  if (dropped.includes(REPORTS_DOMAIN))
    return problem(
      `the DMARC records of all domains name ${REPORTS_DOMAIN}, whose mail would no longer be accepted`,
      `add "${REPORTS_DOMAIN}": "accepted" to formerReportsDomains`,
    );
  const publishers = await account.publishers(TABLE_NAME, dropped);
  return [...publishers].map(([former, names]) =>
    problem(
      `${pluralize(names.length, 'domain')} still publish addresses at ${former}: ${names.slice(0, MOST_NAMED).join(', ')}`,
      `keep ${former} accepted until their owners have published the present address; it is a row of their list of what needs a person`,
    ),
  );
}

/** Findings for people, problems first. */
export const printed = (findings: readonly Finding[]): string[] =>
  (['problem', 'warning'] as const).flatMap((wanted) =>
    findings
      .filter(({ kind }) => kind === wanted)
      .flatMap(({ kind, what, fix }) => [`${kind}: ${what}`, `  ${fix}`]),
  );
