import css from './deliveries.module.css';

/** Headers of a request or a response. */
export function HeaderTable({
  headers,
  label,
}: {
  readonly headers: Readonly<Record<string, string>>;
  readonly label: string;
}) {
  return (
    <table className={css['headers']} aria-label={label}>
      <tbody>
        {Object.entries(headers).map(([key, value]) => (
          <tr key={key}>
            <th scope="row">{key}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
