/**
 * The compressed part of a report's item: the facts that only the report itself is shown with, and its rows if they are
 * small. A dictionary of what nearly all reports contain makes a usual report a third smaller.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Stored reports need exactly this text. Most frequent last (RFC 1950 section 2.2, preset dictionary). */
const DICTIONARY = Buffer.from(
  [
    '{"sourceIp":"2001:db8::","count":0,"disposition":"reject","dkim":"fail","spf":"fail","reasons":[{"type":"forwarded","comment":null}],"headerFrom":"',
    '{"type":"local_policy","comment":"arc=pass"},{"type":"mailing_list"},{"type":"sampled_out"},{"type":"policy_test_mode"}',
    '"result":"none","result":"neutral","result":"softfail","result":"temperror","result":"permerror","scope":"helo","scope":null',
    'amazonses.com sendgrid.net mailgun.org outlook.com onmicrosoft.com mcsv.net selector1 selector2 google s1 s2 k1 20230601',
    '"policyType":"sts","policyDomain":"","policyString":["version: STSv1","mode: enforce","mx: ","max_age: 604800"],"mxHost":[""],"successCount":0,"failureCount":0,"failureDetails":[]}',
    '"kind":"tls","reportId":"","organizationName":"Google Inc.","contactInfo":"smtp-tls-reporting@google.com"',
    '"orgName":"Enterprise Outlook","email":"dmarcreport@microsoft.com","extraContactInfo":null,"orgName":"Yahoo","email":"dmarchelp@yahooinc.com","extraContactInfo":"https://',
    '{"contentHash":"","report":{"kind":"dmarc","reportId":"","orgName":"google.com","email":"noreply-dmarc-support@google.com","extraContactInfo":"https://support.google.com/a/answer/2466580","dateRangeBegin":"2026-01-01T00:00:00.000Z","dateRangeEnd":"2026-01-01T23:59:59.000Z","policyDomain":"","policyP":"quarantine","policySp":"reject","policyNp":null,"policyAdkim":"s","policyAspf":"s","policyPct":100,"testing":false,"discoveryMethod":"treewalk","discoveryMethod":"psl","generator":null,"hasRfc9990Namespace":true},"receivedAt":"2026-01-02T0","authenticated":true,"warnings":0,"counters":{"dkimAligned":1,"spfAligned":1,"quarantined":0,"rejected":0},"rows":1,"rowOctets":',
    '"policyP":"none","policySp":"none","policySp":null,"policyNp":null,"policyAdkim":"r","policyAspf":"r","policyPct":100,"testing":false,"discoveryMethod":null,"generator":null},"receivedAt":"',
    '{"sourceIp":"209.85.","count":1,"disposition":"none","dkim":"pass","spf":"pass","reasons":[],"headerFrom":".com","envelopeFrom":null,"envelopeTo":null,"dkimResults":[{"domain":".com","result":"pass","selector":"google"}],"spfResults":[{"domain":".com","result":"pass","scope":"mfrom"}]}\n',
  ].join(''),
);

/** Higher levels save nothing with texts of this size. */
const LEVEL = 6;

/** Compresses facts and rows; `rows` are lines of JSON. */
export const packBody = (facts: object, rows: string): Buffer =>
  deflateRawSync(`${JSON.stringify(facts)}\n${rows}`, { dictionary: DICTIONARY, level: LEVEL });

/** What `packBody` compressed. Throws if it is anything else. */
export function unpackBody(body: Uint8Array): { readonly facts: object; readonly rows: string } {
  const text = inflateRawSync(body, { dictionary: DICTIONARY }).toString('utf8');
  const end = text.indexOf('\n');
  return { facts: JSON.parse(text.slice(0, end)), rows: text.slice(end + 1) };
}
