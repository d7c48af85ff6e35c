/**
 * Well-known certificate authorities: the organization in the issuer of their certificates, and the names by which CAA records
 * permit them, the current one first. From their certification practice statements and the list that the CCADB publishes of
 * these names. Names of earlier brands and of companies that sell under their own name are included: a name too many misses a
 * mistake, and one too few reports one that does not exist.
 */
interface CertificateAuthority {
  /** In lowercase, without what follows, such as the legal form. */
  readonly organizations: readonly string[];
  readonly names: readonly string[];
}

const amazon = ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com', 'aws.amazon.com'];
const digicert = [
  'digicert.com',
  'www.digicert.com',
  'digicert.ne.jp',
  'cybertrust.ne.jp',
  'symantec.com',
  'thawte.com',
  'geotrust.com',
  'rapidssl.com',
  'quovadisglobal.com',
  'digitalcertvalidation.com',
  'volusion.digitalcertvalidation.com',
  'stratossl.digitalcertvalidation.com',
  'intermediatecertificate.digitalcertvalidation.com',
  '1and1.digitalcertvalidation.com',
  'pkioverheid.nl',
];
const entrust = ['entrust.net', 'affirmtrust.com'];
const sectigo = [
  'sectigo.com',
  'comodoca.com',
  'comodo.com',
  'usertrust.com',
  'trust-provider.com',
  'netsolssl.com',
  'zerossl.com',
];

const authorities: readonly CertificateAuthority[] = [
  { organizations: ["let's encrypt", 'internet security research group'], names: ['letsencrypt.org'] },
  { organizations: ['google trust services'], names: ['pki.goog', 'google.com'] },
  { organizations: ['amazon'], names: [...amazon, ...digicert] },
  {
    organizations: ['digicert', 'geotrust', 'thawte', 'rapidssl', 'quovadis', 'encryption everywhere'],
    names: [...digicert, ...amazon],
  },
  {
    organizations: ['sectigo', 'comodo ca', 'the usertrust network', 'zerossl', 'gandi', 'network solutions'],
    names: [...sectigo, ...entrust],
  },
  { organizations: ['entrust', 'affirmtrust'], names: [...entrust, ...sectigo, 'ssl.com'] },
  { organizations: ['ssl corp', 'ssl corporation'], names: ['ssl.com', ...entrust] },
  { organizations: ['globalsign'], names: ['globalsign.com'] },
  {
    organizations: ['godaddy', 'starfield technologies'],
    names: ['godaddy.com', 'starfieldtech.com', 'amazon.com'],
  },
  { organizations: ['microsoft corporation'], names: ['microsoft.com', ...digicert] },
  { organizations: ['apple inc'], names: ['pki.apple.com', ...digicert] },
  { organizations: ['identrust'], names: ['identrust.com'] },
  { organizations: ['buypass'], names: ['buypass.com', 'buypass.no'] },
  { organizations: ['certum', 'asseco', 'unizeto'], names: ['certum.pl', 'certum.eu'] },
  { organizations: ['d-trust'], names: ['d-trust.net', 'dtrust.de', 'd-trust.de'] },
  {
    organizations: ['deutsche telekom security', 't-systems'],
    names: ['telesec.de', 'pki.dfn.de', 'dfn.de'],
  },
  { organizations: ['swisssign'], names: ['swisssign.com', 'swisssign.net', 'swisssign.ch'] },
  { organizations: ['hellenic academic and research'], names: ['harica.gr'] },
  { organizations: ['actalis'], names: ['actalis.it'] },
  { organizations: ['certigna', 'dhimyotis'], names: ['certigna.fr', 'certigna.com'] },
  { organizations: ['certainly'], names: ['certainly.com'] },
];

/** The names of the CA with this name in its certificates; undefined if it is not known here, as a private CA is not. */
export function authorityNames(issuer: string): readonly string[] | undefined {
  const written = issuer.toLowerCase();
  const isNamed = (organization: string) =>
    written.startsWith(organization) && !/^[a-z0-9-]/.test(written.slice(organization.length));
  return authorities.find(({ organizations }) => organizations.some(isNamed))?.names;
}
