import css from './charts.module.css';

const WIDTH = 4;
const HEIGHT = 24;

/** A small chart of the count per slot. Failures are stacked on top in another colour, with a gap. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly { readonly all: number; readonly failed: number }[];
  /** The same numbers in words, for screen readers. */
  readonly label: string;
}) {
  const most = Math.max(1, ...values.map(({ all }) => all));
  return (
    <svg
      className={css['spark']}
      role="img"
      aria-label={label}
      width={values.length * WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${values.length * WIDTH} ${HEIGHT}`}
    >
      {values.map(({ all, failed }, at) => {
        const x = at * WIDTH;
        const tall = Math.max(all > 0 ? 3 : 1, Math.round((all / most) * (HEIGHT - 2)));
        const bad = failed === 0 ? 0 : Math.max(2, Math.round((failed / Math.max(1, all)) * tall));
        const key = `${at}`;
        if (all === 0)
          return <rect key={key} className={css['none']} x={x} y={HEIGHT - 1} width={WIDTH - 1} height={1} />;
        return (
          <g key={key}>
            <rect
              className={css['fine']}
              x={x}
              y={HEIGHT - tall + bad}
              width={WIDTH - 1}
              height={Math.max(0, tall - bad)}
            />
            {bad > 0 && (
              <rect
                className={css['failed']}
                x={x}
                y={HEIGHT - tall}
                width={WIDTH - 1}
                height={bad - 1 || 1}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}
