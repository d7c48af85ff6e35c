/** The operator commands that show all organizations, pause them, and name further operators. */
import * as pausing from '../../shared/operations/organizations/pause-organization.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';
import { isMember } from '../../shared/store/api-tokens.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { personStore } from '../../shared/store/people.ts';
import { type OperatedOrganization, operated } from '../../shared/views/operated.ts';
import { CommandError } from '../terminal/command-line.ts';
import { jsonLines } from '../terminal/text.ts';
import { type AdminDependencies, asJson, type Commands } from './command.ts';
import { organizationNamed } from './organization-named.ts';
import { perform } from './perform.ts';

/** Commands by their words: `org status`. */
export const operatorCommands: Commands = {
  'org status': {
    says: 'show all organizations: domains and their limit, messages and the last report of 30 days, what is open, and what else costs',
    example: 'org status',
    options: asJson,
    async run(_args, { json }, deps) {
      const all = await deps.organizations.list();
      const found: OperatedOrganization[] = [];
      // One after the other: each reads all rows of its domains.
      for (const { id } of all) {
        const one = await operated(id, viewing(deps));
        if (one !== undefined) found.push(one);
      }
      return json ? jsonLines(found) : found.map(lineOf);
    },
  },

  'org pause': {
    args: '<org>',
    says: 'pause it: no scheduled checks, no reading of mailboxes, no mails and webhooks',
    example: 'org pause 6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
    run: ([id]: [string], _options, deps) => setPaused(id, true, deps),
  },

  'org resume': {
    args: '<org>',
    says: 'let a paused organization go on',
    example: 'org resume 6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
    run: ([id]: [string], _options, deps) => setPaused(id, false, deps),
  },

  'operator add': {
    args: '<org> <address>',
    says: 'make a member of an organization an operator, who sees and limits all organizations in the console',
    example: 'operator add default jo@example.org',
    run: ([id, mail]: [string, string], _options, deps) => setOperator(id, mail, true, deps),
  },

  'operator remove': {
    args: '<org> <address>',
    says: 'take that back',
    example: 'operator remove default jo@example.org',
    run: ([id, mail]: [string, string], _options, deps) => setOperator(id, mail, false, deps),
  },
};

const viewing = ({ organizations, mailboxes, table, clock }: AdminDependencies) => ({
  ...{ organizations, mailboxes, clock },
  directory: directoryStore(table),
  attention: attentionStore(table),
});

function lineOf({ id, name, pausedAt, domains, mail, open, ...counts }: OperatedOrganization): string {
  const limit = domains.limit === null ? 'default' : formatNumber(domains.limit);
  return [
    `${id}  ${name}${pausedAt === null ? '' : `  paused since ${pausedAt}`}`,
    `domains ${formatNumber(domains.count)} of ${limit}`,
    `messages ${formatNumber(mail.messages)}, last reported ${mail.lastReported ?? 'never'}`,
    `open ${open.critical} critical, ${open.warning} warning, ${open.info} info`,
    `mailboxes ${counts.mailboxes}, members ${counts.members}, tokens ${counts.tokens}`,
  ].join('; ');
}

async function setPaused(id: string, paused: boolean, deps: AdminDependencies): Promise<string[]> {
  const organization = await organizationNamed(id, deps);
  await perform(pausing.operation, organization, deps, (caller) =>
    pausing.pauseOrganization(caller, { paused }, deps),
  );
  return [`${organization} ${paused ? 'is paused' : 'goes on'}`];
}

async function setOperator(
  id: string,
  mail: string,
  isOperator: boolean,
  deps: AdminDependencies,
): Promise<string[]> {
  const organization = await organizationNamed(id, deps);
  const member = (await deps.organizations.listTokens(organization))
    .filter(isMember)
    .find((one) => one.revokedAt === null && one.name === mail.toLowerCase());
  if (member === undefined) throw new CommandError(`${organization} has no member ${mail}`);
  await personStore(deps.table).setOperator(member.member.person, isOperator);
  return [`${member.name} is ${isOperator ? 'an operator' : 'no operator any more'}`];
}
