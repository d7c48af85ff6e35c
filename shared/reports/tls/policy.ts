/** The policies of a TLS report, with their failures (RFC 8460 sections 4.2 to 4.4). */
import { isJsonObject, type JsonObject, member } from '../json-text.ts';
import { MAX_POLICY_STRINGS } from '../limits.ts';
import { tooLarge } from '../refusal.ts';
import type { TlsFailureDetail, TlsReportPolicy } from '../report.ts';
import { normalizedAddress, normalizedDomain, truncated, wholeNumber } from '../values.ts';
import type { WarningId, Warnings } from '../warnings.ts';

/** The remaining number of failure details that the report may have. */
export interface DetailBudget {
  details: number;
}

const policyTypes: ReadonlySet<string> = new Set(['tlsa', 'sts', 'no-policy-found']);
const resultTypes: ReadonlySet<string> = new Set([
  'starttls-not-supported',
  'certificate-host-mismatch',
  'certificate-expired',
  'certificate-not-trusted',
  'validation-failure',
  'tlsa-invalid',
  'dnssec-invalid',
  'dane-required',
  'sts-policy-fetch-error',
  'sts-policy-invalid',
  'sts-webpki-invalid',
]);

export class PolicyReader {
  readonly #warnings: Warnings;
  readonly #budget: DetailBudget;
  readonly #domain: string;
  #at = '';

  /** `domain` is used for policies that name no domain. */
  constructor(warnings: Warnings, budget: DetailBudget, domain: string) {
    this.#warnings = warnings;
    this.#budget = budget;
    this.#domain = normalizedDomain(domain.trim());
  }

  read(value: unknown, index: number): TlsReportPolicy {
    this.#at = `policies[${index}]`;
    const item = this.#object(value, '');
    const policy = this.#object(member(item, 'policy'), '/policy');
    const summary = this.#object(member(item, 'summary'), '/summary');
    const failureCount = this.#count(summary, 'total-failure-session-count', '/summary');
    const failureDetails = this.#details(member(item, 'failure-details'));
    const described = failureDetails.reduce((all, { failedSessionCount }) => all + failedSessionCount, 0);
    if (failureDetails.length > 0 && described !== failureCount) {
      this.#warn('failure-sum', '', `${described} of ${failureCount}`);
    }
    return {
      policyType: this.#type(policy),
      policyDomain: this.#policyDomain(policy),
      policyString: this.#policyString(member(policy, 'policy-string')),
      mxHost: this.#mxHost(policy),
      successCount: this.#count(summary, 'total-successful-session-count', '/summary'),
      failureCount,
      failureDetails,
    };
  }

  #type(policy: JsonObject): string {
    const text = this.#text(policy, 'policy-type', '/policy');
    if (text === null) this.#warn('missing-policy-type', '/policy/policy-type');
    const type = (text ?? '').toLowerCase();
    if (type !== (text ?? '')) this.#warn('capitals-in-value', '/policy/policy-type', text ?? '');
    if (text !== null && !policyTypes.has(type))
      this.#warn('unknown-policy-type', '/policy/policy-type', text);
    return type;
  }

  #policyDomain(policy: JsonObject): string {
    const text = this.#text(policy, 'policy-domain', '/policy');
    if (text === null) this.#warn('missing-policy-domain', '/policy/policy-domain');
    return text === null ? this.#domain : truncated(normalizedDomain(text));
  }

  /** Accepts an array of strings, a string, and a string that contains an array. */
  #policyString(value: unknown): readonly string[] {
    const lines = this.#strings(value, 'policy-string-form', '/policy/policy-string');
    const [only = ''] = lines.length === 1 ? lines : [];
    if (!only.startsWith('[')) return lines;
    try {
      const written: unknown = JSON.parse(only);
      if (!Array.isArray(written)) return lines;
      this.#warn('policy-string-form', '/policy/policy-string', only);
      return written
        .filter((line) => typeof line === 'string')
        .slice(0, MAX_POLICY_STRINGS)
        .map(truncated);
    } catch {
      return lines;
    }
  }

  /**
   * Section 4.4 defines `mx-host` as a string. Some reporters send an array, name it `mx-host-pattern`, or write `mx:
   * name`.
   */
  #mxHost(policy: JsonObject): readonly string[] {
    const at = '/policy/mx-host';
    const named = member(policy, 'mx-host');
    const other = member(policy, 'mx-host-pattern');
    if (named === undefined && other !== undefined) this.#warn('mx-host-form', at, 'mx-host-pattern');
    const value = named ?? other;
    const hosts = typeof value === 'string' ? [truncated(value)] : this.#strings(value, 'mx-host-form', at);
    return hosts.map((host) => {
      const name = host.replace(/^mx:\s*/i, '');
      if (name !== host) this.#warn('mx-host-form', at, host);
      return hostForm(name);
    });
  }

  #details(value: unknown): readonly TlsFailureDetail[] {
    if (value === undefined || value === null) return [];
    const items = Array.isArray(value) ? value : [];
    if (!Array.isArray(value)) this.#warn('member-form', '/failure-details');
    this.#budget.details -= items.length;
    if (this.#budget.details < 0) throw tooLarge('the report describes too many failures');
    return items.map((item, index) => this.#detail(item, `/failure-details[${index}]`));
  }

  #detail(value: unknown, at: string): TlsFailureDetail {
    const detail = this.#object(value, at);
    const host = this.#text(detail, 'receiving-mx-hostname', at);
    const helo = this.#text(detail, 'receiving-mx-helo', at);
    return {
      resultType: this.#resultType(detail, at),
      sendingMtaIp: this.#address(detail, 'sending-mta-ip', at),
      receivingMxHostname: host === null ? null : hostForm(host),
      receivingMxHelo: helo,
      receivingIp: this.#address(detail, 'receiving-ip', at),
      failedSessionCount: this.#count(detail, 'failed-session-count', at),
      additionalInformation:
        this.#text(detail, 'additional-information', at) ?? this.#text(detail, 'additional-info-uri', at),
      failureReasonCode: this.#text(detail, 'failure-reason-code', at),
    };
  }

  #resultType(detail: JsonObject, at: string): string {
    const text = this.#text(detail, 'result-type', at);
    if (text === null) this.#warn('missing-result-type', `${at}/result-type`);
    const type = (text ?? '').toLowerCase();
    if (text !== null && !resultTypes.has(type)) this.#warn('unknown-result-type', `${at}/result-type`, text);
    return type;
  }

  #address(detail: JsonObject, name: string, at: string): string | null {
    const text = this.#text(detail, name, at);
    if (text === null) return null;
    const address = normalizedAddress(text.replace(/^\[(.*)\]$/, '$1'));
    if (address === undefined) this.#warn('invalid-source-ip', `${at}/${name}`, text);
    return address ?? text;
  }

  #count(object: JsonObject, name: string, at: string): number {
    const value = member(object, name);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    const count = typeof value === 'string' ? wholeNumber(value.trim()) : undefined;
    if (count === undefined) this.#warn('missing-count', `${at}/${name}`, textOf(value));
    else this.#warn('number-as-text', `${at}/${name}`, textOf(value));
    return count ?? 0;
  }

  /** Null if the member is missing, null or empty. */
  #text(object: JsonObject, name: string, at: string): string | null {
    const value = member(object, name);
    if (typeof value === 'string')
      return value.trim() === '' ? null : this.#kept(value.trim(), `${at}/${name}`);
    if (value !== undefined && value !== null) this.#warn('member-form', `${at}/${name}`, textOf(value));
    return null;
  }

  #strings(value: unknown, form: WarningId, at: string): readonly string[] {
    if (value === undefined || value === null) return [];
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const strings = items.filter((item) => typeof item === 'string');
    if (!Array.isArray(value) || strings.length !== items.length) this.#warn(form, at);
    if (strings.length > MAX_POLICY_STRINGS) this.#warn('value-cut', at);
    return strings.slice(0, MAX_POLICY_STRINGS).map((text) => this.#kept(text, at));
  }

  #object(value: unknown, at: string): JsonObject {
    if (isJsonObject(value)) return value;
    this.#warn('member-form', at);
    return {};
  }

  #kept(text: string, at: string): string {
    const short = truncated(text);
    if (short !== text) this.#warn('value-cut', at);
    return short;
  }

  #warn(id: WarningId, at: string, value?: string): void {
    const policy = this.#at;
    this.#warnings.add(id, () => policy + at, value);
  }
}

/** Patterns such as `*.example.org` and `.example.org` are kept. */
const hostForm = (text: string): string => text.trim().toLowerCase().replace(/\.$/, '');

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}
