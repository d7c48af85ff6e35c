import { isWithin } from '../../shared/protocol/domain-name.ts';

/** A hosted zone in Route 53 in this account. */
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
        `must be a comma-separated list of name=id, such as example.org=Z0123456789ABC; invalid: ${entry}`,
      );
    return { name, id };
  });
}

/** The most specific zone that contains the name. */
export function zoneOf(name: string, zones: readonly HostedZone[]): HostedZone | undefined {
  const [longest] = zones
    .filter((zone) => isWithin(name, zone.name))
    .toSorted((a, b) => b.name.length - a.name.length);
  return longest;
}
