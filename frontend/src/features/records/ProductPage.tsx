import { useTranslation } from "react-i18next";
import { useParams } from "react-router-dom";

import { useProduct } from "@/api/records";
import { Facts, Page, Panel } from "@/components/ui/Page";
import { ErrorNote, Loading } from "@/components/ui/States";
import { useShowRecord } from "@/lib/currentRecord";
import { useFormat } from "@/lib/format";

export function ProductPage() {
  const { id = "" } = useParams();
  const { t } = useTranslation();
  const format = useFormat();
  const product = useProduct(id);
  useShowRecord("product", product.data);
  if (product.isPending) return <Loading />;
  if (product.error) {
    return (
      <Page title={t("products.one")}>
        <ErrorNote error={product.error} onRetry={() => void product.refetch()} />
      </Page>
    );
  }
  const { name, sku, unit, price, active } = product.data;
  return (
    <Page title={name}>
      <Panel title={t("products.one")}>
        <Facts
          items={[
            [t("field.sku"), sku],
            [t("field.unit"), unit],
            [t("field.price"), format.money(price)],
            [t("field.status"), t(active ? "products.active" : "products.inactive")],
          ]}
        />
      </Panel>
    </Page>
  );
}
