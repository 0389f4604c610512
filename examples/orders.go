package examples

import (
	"math/rand/v2"
	"strconv"
	"time"
)

const (
	// OrderCount is the number of rows of orders.parquet.
	OrderCount = 200_000
	// CustomerCount is the number of rows of customers.xlsx.
	CustomerCount = 1_200

	orderDays = 1096 // 2023-01-01 to 2025-12-31
)

var firstOrder = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)

// rng returns the source of chance of one sample, the same on every machine.
func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(2026, seed)) }

// customers is the address book that orders.parquet refers to.
func customers() ([]byte, error) {
	first := []string{"Amber", "Birch", "Cedar", "Delta", "Ember", "Falcon", "Granite", "Harbor", "Iron", "Juniper",
		"Kestrel", "Lantern", "Maple", "North Star", "Orchard", "Pioneer", "Quarry", "River", "Summit", "Timber",
		"Union", "Valley", "Willow", "Yarrow", "Zenith", "Anchor", "Beacon", "Copper", "Drift", "Evergreen"}
	last := []string{"Supply", "Tools", "Foods", "Logistics", "Textiles", "Motors", "Press", "Labs", "Builders", "Farms",
		"Studios", "Trading", "Glass", "Paper", "Outfitters", "Marine", "Optics", "Ceramics", "Bakery", "Energy",
		"Furniture", "Instruments", "Packaging", "Nurseries", "Partners", "Mills", "Works", "Stores", "Systems", "Goods",
		"Fabrics", "Pumps", "Roofing", "Lighting", "Chemicals", "Printing", "Dairy", "Gardens", "Cycles", "Metals"}
	regions := []string{"North", "South", "East", "West"}
	segments := []string{"Retail", "Wholesale", "Online", "Public sector"}
	r := rng(1)
	s := sheet{
		name:   "customers",
		header: []string{"customer_id", "customer_name", "region", "segment", "customer_since"},
		columns: []column{{number, "0", 12}, {text, "", 28}, {text, "", 10},
			{text, "", 14}, {date, "yyyy-mm-dd", 16}},
	}
	for i, p := range r.Perm(len(first) * len(last))[:CustomerCount] {
		since := firstOrder.AddDate(0, 0, -r.IntN(2000)).Format(time.DateOnly)
		s.rows = append(s.rows, []string{
			strconv.Itoa(i + 1), first[p%len(first)] + " " + last[p/len(first)],
			regions[r.IntN(len(regions))], segments[weighted(r, 50, 25, 18, 7)], since,
		})
	}
	return workbook(s)
}

// weighted draws an index with the given weights, which add up to 100.
func weighted(r *rand.Rand, weights ...int) int {
	n := r.IntN(100)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// orders is 200,000 orders over three years, too many rows to read by eye: more
// small quantities than large ones, some cancelled or returned, dates in order.
func orders() ([]byte, error) {
	products := []string{"Desk lamp", "Office chair", "Standing desk", "Monitor arm", "Notebook", "Whiteboard",
		"Filing cabinet", "Headset", "Keyboard", "Webcam", "Paper ream", "Label printer"}
	cents := []int64{3990, 18900, 45900, 8950, 425, 7990, 15900, 6990, 5450, 7425, 690, 12900}
	channels := []string{"Web", "Phone", "Partner", "Store"}
	statuses := []string{"Delivered", "Shipped", "Cancelled", "Returned"}
	var id, customer, price, amount []int64
	var day, quantity []int32
	var product, channel, status []string
	r := rng(2)
	for i := range OrderCount {
		p := weighted(r, 9, 8, 4, 7, 18, 5, 4, 9, 10, 8, 14, 4)
		n := 1 + r.Int32N(4)*r.Int32N(4)
		unit := cents[p] * int64(95+r.IntN(11)) / 100
		id = append(id, int64(100_001+i))
		day = append(day, int32(firstOrder.Unix()/86400+int64(i)*orderDays/OrderCount))
		customer = append(customer, 1+min(r.Int64N(CustomerCount), r.Int64N(CustomerCount)))
		product = append(product, products[p])
		channel = append(channel, channels[weighted(r, 55, 12, 15, 18)])
		status = append(status, statuses[weighted(r, 86, 6, 5, 3)])
		quantity = append(quantity, n)
		price = append(price, unit)
		amount = append(amount, unit*int64(n))
	}
	return parquet(OrderCount, []parquetColumn{
		{name: "order_id", converted: -1, int64s: id},
		{name: "order_date", converted: convertedDate, int32s: day},
		{name: "customer_id", converted: -1, int64s: customer},
		{name: "product", converted: convertedUTF8, strings: product},
		{name: "channel", converted: convertedUTF8, strings: channel},
		{name: "status", converted: convertedUTF8, strings: status},
		{name: "quantity", converted: -1, int32s: quantity},
		{name: "unit_price", converted: convertedDec, precision: 10, scale: 2, int64s: price},
		{name: "amount", converted: convertedDec, precision: 12, scale: 2, int64s: amount},
	})
}
