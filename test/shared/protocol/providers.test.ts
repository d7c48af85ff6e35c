import { expect, test } from '@jest/globals';
import { providerOf } from '../../../shared/protocol/providers.ts';

test.each([
  ['_spf.google.com', 'Google Workspace'],
  ['_SPF.Google.COM.', 'Google Workspace'],
  ['spf.protection.outlook.com', 'Microsoft 365'],
  ['spfd.protection.outlook.com', 'Microsoft 365'],
  ['example-org.mail.protection.outlook.com', 'Microsoft 365'],
  ['outlook.com', 'Outlook.com'],
  ['spf-a.outlook.com', 'Outlook.com'],
  ['amazonses.com', 'Amazon SES'],
  ['u123.wl.sendgrid.net', 'SendGrid'],
  ['eu.mailgun.org', 'Mailgun'],
  ['servers.mcsv.net', 'Mailchimp'],
  ['spf.mandrillapp.com', 'Mandrill'],
  ['spf.mtasv.net', 'Postmark'],
  ['one.zoho.eu', 'Zoho'],
  ['_spf.salesforce.com', 'Salesforce'],
  ['%{i}._spf.mta.salesforce.com', 'Salesforce'],
  ['123.spf04.hubspotemail.net', 'HubSpot'],
  ['mail.zendesk.com', 'Zendesk'],
  ['spf.messagingengine.com', 'Fastmail'],
  ['_spf.protonmail.ch', 'Proton Mail'],
  ['eu._netblocks.mimecast.com', 'Mimecast'],
  ['_spf_eucentral1.prod.hydra.sophos.com', 'Sophos'],
  ['%{i}.spf.hc1-1.eu.iphmx.com', 'Cisco Secure Email'],
  ['_spf-eu.ionos.com', 'IONOS'],
  ['spf.hornetsecurity.com', 'Hornetsecurity'],
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
