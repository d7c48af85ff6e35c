import { expect, test } from '@jest/globals';
import {
  customerOf,
  type Evidence,
  includeForMailboxes,
  includeOf,
  providerOf,
  services,
} from '../../../shared/protocol/providers.ts';

test.each([
  ['_spf.google.com', 'Google Workspace'],
  ['_SPF.Google.COM.', 'Google Workspace'],
  ['spf.protection.outlook.com', 'Microsoft 365'],
  ['spfd.protection.outlook.com', 'Microsoft 365'],
  ['example-org.mail.protection.outlook.com', 'Microsoft 365'],
  ['outlook.com', 'Outlook.com'],
  ['spf-a.outlook.com', 'Outlook.com'],
  ['u123.wl.sendgrid.net', 'SendGrid'],
  ['%{i}._spf.mta.salesforce.com', 'Salesforce'],
  ['123.spf04.hubspotemail.net', 'HubSpot'],
  ['_spf_eucentral1.prod.hydra.sophos.com', 'Sophos'],
  ['%{i}.spf.hc1-1.eu.iphmx.com', 'Cisco Secure Email'],
  ['_spf-eu.ionos.com', 'IONOS'],
  ['%{i}._ip.%{h}._ehlo.%{d}._spf.vali.email', 'Valimail'],
  ['notsendgrid.net', undefined],
  ['sendgrid.net.example.org', undefined],
  ['google.com', undefined],
  ['com', undefined],
  ['%{d}', undefined],
  ['', undefined],
])('%s belongs to %s', (target, provider) => {
  expect(providerOf(target)).toBe(provider);
});

test.each([
  ['example-org.20230601.gappssmtp.com', 'signature', 'Google Workspace'],
  ['contoso.onmicrosoft.com', 'signature', 'Microsoft 365'],
  ['mail182.atl171.mcdlv.net', 'envelope', 'Mailchimp'],
  ['mandrillapp.com', 'signature', 'Mandrill'],
  ['eu-west-1.amazonses.com', 'envelope', 'Amazon SES'],
  ['gg.d.sender-sib.com', 'envelope', 'Brevo'],
  ['mail-yw1-x1131.google.com', 'envelope', 'Google Workspace'],
  ['google.com', 'signature', undefined],
  ['outbound.protection.outlook.com', 'envelope', 'Microsoft 365'],
  ['aspmx.l.google.com', 'mx', 'Google Workspace'],
  ['aspmx.l.google.com', 'signature', undefined],
  ['notmandrillapp.com', 'signature', undefined],
] as const)('%s as %s belongs to %s', (name, evidence, provider) => {
  expect(providerOf(name, evidence)).toBe(provider);
});

test.each([
  ['contoso.onmicrosoft.com', 'contoso.onmicrosoft.com'],
  ['Contoso.OnMicrosoft.com.', 'contoso.onmicrosoft.com'],
  ['example-org.20210112.gappssmtp.com', 'example-org.gappssmtp.com'],
  ['example-org.20251104.gappssmtp.com', 'example-org.gappssmtp.com'],
  ['onmicrosoft.com', undefined],
  ['eu-west-1.amazonses.com', undefined],
  ['example.org', undefined],
])('%s is the name of the customer %s', (name, customer) => {
  expect(customerOf(name)).toBe(customer);
});

test.each([
  ['aspmx.l.google.com', '_spf.google.com'],
  ['ALT1.ASPMX.L.GOOGLE.COM.', '_spf.google.com'],
  ['example-org.mail.protection.outlook.com', 'spf.protection.outlook.com'],
  ['example-org.mail.protection.partner.outlook.cn', undefined],
  ['mx.zoho.com', 'zohomail.com'],
  ['mx.zoho.eu', undefined],
  ['mx1.mimecast.com', undefined],
  ['mx.example.org', undefined],
])('the mailboxes behind %s include %s', (host, include) => {
  expect(includeForMailboxes(host)).toBe(include);
});

test('each service has one row, and each name belongs to one service', () => {
  expect(services.size).toBeGreaterThanOrEqual(80);
  for (const [
    provider,
    { own = [], customers = [], includes = [], servers = [], mx = [], ...row },
  ] of services) {
    const names = { include: includes, signature: customers, envelope: [...customers, ...servers], mx };
    for (const [evidence, found] of Object.entries(names) as [Evidence, readonly string[]][]) {
      for (const name of [...own, ...found])
        expect([name, providerOf(name, evidence)]).toEqual([name, provider]);
    }
    for (const host of row.mailboxes ?? []) {
      expect([host, providerOf(host, 'mx')]).toEqual([host, provider]);
      expect([host, includeForMailboxes(host)]).toEqual([host, includeOf(provider)]);
    }
    if (row.include !== undefined) expect([provider, providerOf(row.include)]).toEqual([provider, provider]);
  }
  expect(includeOf('constructor')).toBeUndefined();
});
