/** Creates rows in the format of Google; as in the largest real report available, each has an address of its own. */
export function aggregateReport(rows: number): Buffer {
  const address = (index: number): string => `198.${18 + (index >> 16)}.${(index >> 8) % 256}.${index % 256}`;
  const record = (index: number): string => `
  <record>
    <row>
      <source_ip>${address(index)}</source_ip>
      <count>${(index % 9) + 1}</count>
      <policy_evaluated>
        <disposition>none</disposition>
        <dkim>${index % 3 === 0 ? 'fail' : 'pass'}</dkim>
        <spf>pass</spf>
      </policy_evaluated>
    </row>
    <identifiers>
      <header_from>example.org</header_from>
    </identifiers>
    <auth_results>
      <dkim>
        <domain>example.org</domain>
        <result>pass</result>
        <selector>s${index % 3}</selector>
      </dkim>
      <spf>
        <domain>bounce${index % 50}.example.org</domain>
        <result>pass</result>
      </spf>
    </auth_results>
  </record>`;
  const head = `<?xml version="1.0" encoding="UTF-8" ?>
<feedback>
  <report_metadata>
    <org_name>reporter.example</org_name>
    <email>dmarc@reporter.example</email>
    <report_id>17</report_id>
    <date_range>
      <begin>1767225600</begin>
      <end>1767311999</end>
    </date_range>
  </report_metadata>
  <policy_published>
    <domain>example.org</domain>
    <adkim>r</adkim>
    <aspf>r</aspf>
    <p>none</p>
    <sp>none</sp>
    <pct>100</pct>
  </policy_published>`;
  return Buffer.from(
    `${head}${Array.from({ length: rows }, (_, index) => record(index)).join('')}\n</feedback>\n`,
  );
}
