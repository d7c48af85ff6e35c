/** The parts of a TLS report for tests (RFC 8460 section 4.4), which they change or leave out. */

export const DETAIL = {
  'result-type': 'certificate-expired',
  'sending-mta-ip': '192.0.2.1',
  'receiving-mx-hostname': 'mx1.example.org',
  'receiving-mx-helo': 'mx1',
  'receiving-ip': '198.51.100.1',
  'failed-session-count': 2,
  'additional-information': 'https://reporter.example/t-1',
  'failure-reason-code': 'X509_EXPIRED',
};
export const POLICY = {
  'policy-type': 'sts',
  'policy-string': ['version: STSv1', 'mode: testing'],
  'policy-domain': 'example.org',
  'mx-host': ['*.example.org'],
};
export const ITEM = {
  policy: POLICY,
  summary: { 'total-successful-session-count': 10, 'total-failure-session-count': 2 },
  'failure-details': [DETAIL],
};

export const RANGE = { 'start-datetime': '2023-11-15T00:00:00Z', 'end-datetime': '2023-11-15T23:59:59Z' };

export const TLS_REPORT = {
  'organization-name': 'Reporter',
  'date-range': RANGE,
  'contact-info': 'tls@reporter.example',
  'report-id': 't-1',
  policies: [ITEM],
};
