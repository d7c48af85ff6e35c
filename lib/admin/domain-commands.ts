/** The operator's commands for domains: what the API does with them, and in its format. */
import * as z from 'zod/mini';
import { createDomainBody, showDomain } from '../../shared/api/domains.ts';
import { fixFormat } from '../../shared/api/fixes.ts';
import { showChecks } from '../../shared/api/show-checks.ts';
import { writeFixes } from '../../shared/fixes/formats.ts';
import type { Change, Plan } from '../../shared/fixes/plan.ts';
import { audited } from '../../shared/operations/audit.ts';
import * as runChecks from '../../shared/operations/checks/run-checks.ts';
import * as createDomain from '../../shared/operations/domains/create-domain.ts';
import * as planFixes from '../../shared/operations/fixes/plan-fixes.ts';
import { operatorFor } from '../../shared/operations/operation.ts';
import { Refused } from '../../shared/operations/outcome.ts';
import { showBatchOutcome } from '../../shared/runtime/http/batch-outcome.ts';
import { computeScore } from '../../shared/score/score.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { findingAudienceOf, reportAddress } from '../../shared/store/domains/report-address.ts';
import { verificationRecordOf } from '../../shared/store/domains/verification-record.ts';
import { UsageError } from '../terminal/command-line.ts';
import { renderReport } from '../terminal/report.ts';
import { jsonLines } from '../terminal/text.ts';
import { type AdminDependencies, asJson, type Commands, type Options, onDomain } from './command.ts';
import { domainNamed } from './domain-named.ts';
import { accepted, inputFor, perform, reasonOf } from './perform.ts';

/** Commands by their words: `domain list`. */
export const domainCommands: Commands = {
  'domain add': {
    args: '<org> <domain...>',
    says: 'register domains, each independently of the others; exits with 1 if one is refused',
    example: 'domain add default example.org example.net --test-mailbox postmaster',
    options: {
      '--usage <type>': 'sends-and-receives (default), receives-only, sends-only or parked',
      '--test-mailbox <local-part>': 'the local part of the test mailbox of domains that receive mail',
      '--tags <list>': 'tags, separated by commas',
      '--json': 'print JSON: what became of each domain, as from POST /domains/batch',
    },
    async run([organization, ...names]: [string, ...string[]], options, deps) {
      const outcomes = await addAll(organization, names, options, deps);
      if (outcomes.some(({ outcome }) => outcome instanceof Refused)) deps.setExitCode(1);
      if (options.json)
        return jsonLines(outcomes.map(({ outcome }) => showBatchOutcome(outcome, deps.naming())));
      return outcomes.flatMap(({ name, outcome }) =>
        outcome instanceof Refused ? [`${name}  not registered: ${reasonOf(outcome)}`] : added(outcome, deps),
      );
    },
  },

  'domain list': {
    args: '<org>',
    says: 'list its domains, oldest first',
    example: 'domain list default --json',
    options: asJson,
    async run([organization]: [string], { json }, deps) {
      const domains = await deps.domains.all(organization);
      if (json) return jsonLines(domains.map((domain) => showDomain(domain, deps.naming())));
      return domains.map(
        ({ id: shown, domain, verified, usageType, lastCheckedAt }) =>
          `${shown}  ${domain}  ${verified ? 'verified' : 'not verified'}  ${usageType}  ${lastCheckedAt === null ? 'not checked' : `checked ${lastCheckedAt}`}`,
      );
    },
  },

  'domain check': {
    args: '<domain>',
    says: 'run all checks of a domain now, from this machine, and store the results; alerts about changes are raised',
    example: 'domain check example.org',
    options: { ...onDomain, ...asJson },
    async run([name]: [string], { org, json }, deps) {
      const domain = await domainNamed(name, org, deps);
      const dependencies = await deps.checks();
      const begin = performance.now();
      const { operation } = runChecks;
      const { checks } = await perform(operation, domain.organization, deps, (caller) =>
        runChecks.runChecks(caller, { id: domain.id }, dependencies),
      );
      const { checkedAt, results } = checks;
      if (json) {
        const owner = findingAudienceOf(domain, deps.setting('REPORTS_DOMAIN'));
        return jsonLines({ checkedAt, results: showChecks(results, owner) });
      }
      const score = computeScore(results, domain.usageType);
      const milliseconds = Math.round(performance.now() - begin);
      const shown = { domain: domain.domain, usage: domain.usageType, results, score, milliseconds };
      return renderReport(shown, { colour: false, width: WIDTH }).trimEnd().split('\n');
    },
  },

  'domain fixes': {
    args: '<domain>',
    says: 'show the changes of DNS records that improve a domain, from its latest check results',
    example: 'domain fixes example.org --format zone',
    options: {
      ...onDomain,
      ...asJson,
      '--format <format>': 'print the safe changes for a DNS tool: zone, route53 or terraform',
    },
    async run([name]: [string], { org, json, format }, deps) {
      if (json && format !== undefined) throw new UsageError('use either --json or --format');
      const wanted = format === undefined ? undefined : formatNamed(format);
      const { id, domain, organization } = await domainNamed(name, org, deps);
      const planning = { ...deps.fixes(), domains: deps.domains, clock: deps.clock };
      const { value: plan } = accepted(
        await planFixes.planFixes(operatorFor(organization), { id }, planning),
      );
      if (wanted !== undefined) return writeFixes(plan, wanted).trimEnd().split('\n');
      return json ? jsonLines(plan) : describePlan(domain, plan);
    },
  },
};

/** The columns of a report. */
const WIDTH = 100;

interface Added {
  readonly name: string;
  readonly outcome: Domain | Refused;
}

/** Registers domains one after another, as they all change the count of the organization. @throws UsageError */
async function addAll(
  organization: string,
  names: readonly string[],
  { usage, testMailbox, tags }: Options,
  deps: AdminDependencies,
): Promise<Added[]> {
  const inputs = names.map((domain) =>
    inputFor(createDomainBody, {
      domain,
      ...(usage !== undefined && { usageType: usage }),
      ...(testMailbox !== undefined && { testEmailLocalPart: testMailbox }),
      ...(tags !== undefined && { tags: tags.split(',') }),
    }),
  );
  const registering = deps.registration();
  const done: Added[] = [];
  for (const input of inputs) {
    const outcome = await createDomain.createDomain(operatorFor(organization), input, registering);
    if (outcome instanceof Refused) done.push({ name: input.domain, outcome });
    else {
      const domain = await audited(createDomain.operation, organization, deps, outcome);
      done.push({ name: domain.domain, outcome: domain });
    }
    deps.progress.show(done.length, inputs.length);
  }
  deps.progress.end();
  return done;
}

/** A domain that was registered, with what its owner has to publish. */
function added(domain: Domain, deps: AdminDependencies): string[] {
  const naming = deps.naming();
  const { hostname, type, value } = verificationRecordOf(domain, naming);
  return [
    `${domain.domain}  registered: ${domain.id}`,
    `  to verify it, publish ${hostname} ${type} "${value}"`,
    `  to receive its reports, name mailto:${reportAddress(domain, naming.reportsDomain)} in its rua tags`,
  ];
}

function formatNamed(format: string): z.output<typeof fixFormat> {
  const parsed = z.safeParse(fixFormat, format);
  if (parsed.success) return parsed.data;
  throw new UsageError(`--format must be one of ${fixFormat.options.join(', ')}`);
}

function describePlan(domain: string, { score, scoreAfter, changes, files, manual }: Plan): string[] {
  if (score === null && changes.length === 0)
    return [`${domain} was not checked yet, or has no score: run "domain check ${domain}" first`];
  return [
    `${domain}: score ${score ?? 'unknown'}, ${scoreAfter ?? 'unknown'} after all safe changes`,
    ...(changes.length === 0 ? ['no changes of DNS records'] : changes.flatMap(describeChange)),
    ...files.map(({ url }) => `serve ${url} (--json has its content)`),
    ...manual.map(({ reason }) => `by hand: ${reason}`),
  ];
}

const describeChange = ({
  class: kind,
  action,
  name,
  type,
  gain,
  reason,
  before,
  after,
  id,
}: Change): string[] => [
  `${kind}: ${action} ${name} ${type}, +${gain.toFixed(1)} points  (${id})`,
  `  ${reason}`,
  ...before.map((record) => `  - ${record}`),
  ...after.map((record) => `  + ${record}`),
];
