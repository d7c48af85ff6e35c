/** The operator commands that show all organizations, pause them, and name further operators. */
import * as pausing from '../../shared/operations/organizations/pause-organization.ts';
import * as settingOperator from '../../shared/operations/people/set-operator.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';
import { isMember, type Member } from '../../shared/store/api-tokens.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { type OperatedOrganization, operated } from '../../shared/views/operated.ts';
import { CommandError } from '../terminal/command-line.ts';
import { jsonLines } from '../terminal/text.ts';
import { type AdminDependencies, asJson, type Commands } from './command.ts';
import { perform } from './perform.ts';

/** Commands by their words: `org status`. */
export const operatorCommands: Commands = {
  'org status': {
    says: 'show all organizations: domains and their limit, messages of 30 days and the last day with reports, what needs attention, and the numbers of mailboxes, members and tokens',
    example: 'org status',
    options: asJson,
    async run(_args, { json }, deps) {
      const { table } = deps;
      const viewing = { ...deps, directory: directoryStore(table), attention: attentionStore(table) };
      const found: OperatedOrganization[] = [];
      // One after the other: each reads all rows of its domains.
      for (const { id } of await deps.organizations.list()) {
        const one = await operated(id, viewing);
        if (one !== undefined) found.push(one);
      }
      return json ? jsonLines(found) : found.map(lineOf);
    },
  },

  'org pause': {
    args: '<org>',
    says: 'pause it: no scheduled checks and reading of mailboxes, no alerts, events and digests',
    example: 'org pause 6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
    run: ([organization]: [string], _options, deps) => setPaused(organization, true, deps),
  },

  'org resume': {
    args: '<org>',
    says: 'let a paused organization go on',
    example: 'org resume 6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11',
    run: ([organization]: [string], _options, deps) => setPaused(organization, false, deps),
  },

  'operator list': {
    says: 'list the members who are operators: organization, address, and the ID of the person',
    example: 'operator list',
    options: asJson,
    async run(_args, { json }, deps) {
      const found = (await operatorsIn(deps)).map(({ organization, name: mail, member: { person } }) => ({
        ...{ organization, mail, person },
      }));
      if (json) return jsonLines(found);
      return found.map(({ organization, mail, person }) => `${organization}  ${mail}  ${person}`);
    },
  },

  'operator add': {
    args: '<org> <address>',
    says: 'make a member of an organization an operator, who sees and limits all organizations in the console, while they are a member',
    example: 'operator add default jo@example.org',
    async run([organization, mail]: [string, string], _options, deps) {
      const member = (await membersIn(organization, deps)).find((one) => one.name === mail.toLowerCase());
      if (member === undefined) throw new CommandError(`${organization} has no member ${mail}`);
      return [await setOperator(member, true, deps)];
    },
  },

  'operator remove': {
    args: '<person>',
    says: 'take that back in all organizations, from a person whose address or ID "operator list" shows',
    example: 'operator remove jo@example.org',
    async run([given]: [string], _options, deps) {
      const lines: string[] = [];
      for (const one of await operatorsIn(deps))
        if ([one.name, one.member.person].includes(given.toLowerCase()))
          lines.push(await setOperator(one, false, deps));
      if (lines.length === 0) throw new CommandError(`${given} is no operator`);
      return lines;
    },
  },
};

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

async function setPaused(organization: string, paused: boolean, deps: AdminDependencies): Promise<string[]> {
  await perform(pausing.operation, organization, deps, (caller) =>
    pausing.pauseOrganization(caller, { paused }, deps),
  );
  return [`${organization} ${paused ? 'is paused' : 'goes on'}`];
}

async function setOperator(member: Member, operator: boolean, deps: AdminDependencies): Promise<string> {
  const { organization, id, name } = member;
  await perform(settingOperator.operation, organization, deps, (caller) =>
    settingOperator.setOperator(caller, { id, operator }, deps),
  );
  return `${name} of ${organization} is ${operator ? 'an operator' : 'no operator any more'}`;
}

async function operatorsIn(deps: AdminDependencies): Promise<Member[]> {
  const found: Member[] = [];
  for (const { id } of await deps.organizations.list())
    found.push(...(await deps.members.operatorsAmong(await membersIn(id, deps))));
  return found;
}

const membersIn = async (organization: string, { organizations }: AdminDependencies): Promise<Member[]> =>
  (await organizations.listTokens(organization)).filter(isMember).filter((one) => one.revokedAt === null);
