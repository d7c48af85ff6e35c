/** The inputs of the GitHub Action, from the environment variables that the runner sets. */
import { domainNameProblem } from '../../shared/api/domain-names.ts';
import { type UsageType, usageType } from '../../shared/checks/state.ts';
import { isSelector } from '../../shared/protocol/dkim/selector-syntax.ts';
import { parseDomainName } from '../../shared/protocol/domain-name.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Inputs {
  readonly domains: readonly string[];
  readonly usageType: UsageType;
  readonly selectors: readonly string[];
  /** A zone file with proposed records, relative to the workspace. */
  readonly zone: string | undefined;
  /** The commit or branch whose zone file the proposal is compared with; without one, it is what DNS has. */
  readonly base: string | undefined;
  readonly failUnder: number | undefined;
  readonly failOnNewErrors: boolean;
  /** How many messages of approved senders may be lost. */
  readonly maxLostMessages: number;
  readonly service: { readonly url: string; readonly token: string } | undefined;
  /** Where the SARIF file is written. */
  readonly sarif: string;
}

/** An input that cannot be used. */
export class InputError extends Error {}

/** @throws InputError that names the input. */
export function readInputs(environment: Environment): Inputs {
  const text = (name: string) => (environment[`INPUT_${name.toUpperCase()}`] ?? '').trim();
  const words = (name: string) =>
    text(name)
      .split(/[\s,]+/)
      .filter((word) => word !== '');
  const number = (name: string, most: number) => {
    const value = Number(text(name));
    if (!(value >= 0 && value <= most)) throw new InputError(`${name} must be a number from 0 to ${most}`);
    return value;
  };
  const domains = words('domains').map((typed) => {
    const name = parseDomainName(typed);
    if (!name.ok) throw new InputError(`domains: ${typed} ${domainNameProblem[name.problem]}`);
    return name.name;
  });
  if (domains.length === 0) throw new InputError('domains must name at least one domain');
  const zone = text('with') || undefined;
  if (zone !== undefined && domains.length > 1)
    throw new InputError('domains must name one domain, that of the zone file in with');
  const usage = usageType.safeParse(text('usage-type') || 'sends-and-receives');
  if (!usage.success) throw new InputError(`usage-type must be one of ${usageType.options.join(', ')}`);
  const selectors = words('selectors').map((one) => one.toLowerCase());
  if (!selectors.every(isSelector)) throw new InputError('selectors has an invalid DKIM selector');
  const [url, token] = [text('service-url'), text('token')];
  if ((url === '') !== (token === '')) throw new InputError('service-url and token belong together');
  if (url !== '' && !URL.canParse(url)) throw new InputError('service-url must be a URL');
  return {
    ...{ domains, usageType: usage.data, selectors, zone },
    base: text('base') || undefined,
    failUnder: text('fail-under') === '' ? undefined : number('fail-under', 100),
    failOnNewErrors: text('fail-on-new-errors') !== 'false',
    maxLostMessages: number('max-lost-messages', Number.MAX_SAFE_INTEGER),
    service: url === '' ? undefined : { url: new URL(url).origin, token },
    sarif: text('sarif-file') || 'email-domain-security.sarif',
  };
}
