/** Stack outputs with the values that the DNS records depend on, for `npm run dns`. */
import type { DnsFacts } from './dns-records.ts';

/** Output values by name. */
export type Outputs = Readonly<Record<string, string>>;

/** The outputs for `facts`; each stack can provide a part of them. Values can be CDK tokens. */
export function dnsOutputs(facts: Partial<DnsFacts>): Outputs {
  const { region, secondRegion, reportsDomain, testerDomain, dkimTokens = [] } = facts;
  const { alertSender, apiDomain } = facts;
  const { formerReportsDomains = [], formerTesterDomains = [] } = facts;
  const outputs: Record<string, string | undefined> = {
    DnsRegion: region,
    DnsSecondRegion: secondRegion,
    DnsReportsDomain: reportsDomain,
    DnsTesterDomain: testerDomain,
    DnsFormerReportsDomains: formerReportsDomains.join(' ') || undefined,
    DnsFormerTesterDomains: formerTesterDomains.join(' ') || undefined,
    DnsAlertSender: alertSender,
    DnsApiDomain: apiDomain?.name,
    DnsApiTarget: apiDomain?.target,
    ...Object.fromEntries(
      dkimTokens.map(({ name, value }, index) => [`${DKIM}${index + 1}`, `${name} ${value}`]),
    ),
  };
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The inverse of `dnsOutputs`; ignores other outputs. */
export function factsOf(outputs: Outputs): Partial<DnsFacts> {
  const { DnsApiDomain: name, DnsApiTarget: target } = outputs;
  const dkimTokens = Object.entries(outputs).flatMap(([key, text]) => {
    const [name, value] = text.split(' ');
    return key.startsWith(DKIM) && name && value ? [{ name, value }] : [];
  });
  return {
    ...(outputs.DnsRegion && { region: outputs.DnsRegion }),
    ...(outputs.DnsSecondRegion && { secondRegion: outputs.DnsSecondRegion }),
    ...(outputs.DnsReportsDomain && { reportsDomain: outputs.DnsReportsDomain }),
    ...(outputs.DnsTesterDomain && { testerDomain: outputs.DnsTesterDomain }),
    ...(outputs.DnsFormerReportsDomains && {
      formerReportsDomains: outputs.DnsFormerReportsDomains.split(' '),
    }),
    ...(outputs.DnsFormerTesterDomains && { formerTesterDomains: outputs.DnsFormerTesterDomains.split(' ') }),
    ...(outputs.DnsAlertSender && { alertSender: outputs.DnsAlertSender }),
    ...(name && target && { apiDomain: { name, target } }),
    ...(dkimTokens.length > 0 && { dkimTokens }),
  };
}

const DKIM = 'DnsDkim';
