import { useSearchParams } from "react-router-dom";

/** The filter of a list lives in the URL, so that a link and Back bring it again. What is as by default is left out. */
export function useUrlFilter<K extends string>(defaults: Record<K, string>) {
  const [params, setParams] = useSearchParams();
  const names = Object.keys(defaults) as K[];
  const values = { ...defaults };
  for (const name of names) values[name] = params.get(name) ?? defaults[name];
  const change = (next: Partial<Record<K, string | undefined>>) => {
    setParams(
      (now) => {
        const url = new URLSearchParams(now);
        for (const name of names) {
          const value = next[name];
          if (value === undefined) continue;
          if (value === defaults[name]) url.delete(name);
          else url.set(name, value);
        }
        return url;
      },
      { replace: true },
    );
  };
  const clear = () => {
    change(defaults);
  };
  return { values, change, clear, isFiltered: names.some((name) => values[name] !== defaults[name]) };
}
