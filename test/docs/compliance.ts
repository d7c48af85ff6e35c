/** The tables of docs/compliance.md, from the profiles. */
import { factIds, factOf } from '../../shared/compliance/facts.ts';
import type { Profile } from '../../shared/compliance/profile.ts';
import { profileIds, profiles } from '../../shared/compliance/profiles.ts';

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

/** What each profile covers, in a line. */
export function profileTable(table: Table): string {
  return table(
    ['Profile', 'ID', 'Version', 'Requirements', 'As the text says', 'Interpretation', 'Not covered'],
    profileIds.map((id) => {
      const { name, version, requirements } = profiles[id];
      const count = (wanted: string) =>
        String(requirements.filter(({ coverage }) => coverage === wanted).length);
      return [
        ...[name, `\`${id}\``, version, String(requirements.length)],
        ...[count('text'), count('interpretation'), count('not covered')],
      ];
    }),
  );
}

/** The sources and the requirements of each profile. */
export const requirementTables = (table: Table): string =>
  profileIds.map((id) => section(profiles[id], table)).join('\n\n');

function section({ name, description, sources, requirements }: Profile, table: Table): string {
  const documents = Object.values(sources).map(
    ({ title, address, date, read }) =>
      `- ${title}${date === null ? '' : `, ${date}`}: <${address}>. Read: ${read}.`,
  );
  const rows = requirements.map((one) => [
    `\`${one.id}\``,
    ...[one.section, one.level, one.coverage, one.scope ?? '', one.text],
    (one.rules ?? []).map((rule) => `\`${rule}\``).join(', '),
  ]);
  const head = ['Requirement', 'Section', 'Level', 'Coverage', 'About', 'What it requires', 'Violated by'];
  return [`### ${name}`, '', description, '', ...documents, '', table(head, rows)].join('\n');
}

/** The facts that profiles can name besides findings. */
export const factTable = (table: Table): string =>
  table(
    ['Fact', 'Check', 'What is wrong'],
    factIds.map((id) => [`\`${id}\``, factOf(id).check, factOf(id).says]),
  );
