package curator

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"agentlore/lore"
)

//go:embed model/categories.tsv
var categoryModelText string

// categoryModel is the model in use. The file is part of the program, so a fault in it is a fault of the build.
var categoryModel = mustReadCategoryModel(categoryModelText)

// CategoryModel holds what a feature is worth for each category that was learned.
type CategoryModel struct {
	// Categories are the learned categories, in the order of the weights.
	Categories []lore.Category
	// Weights of a feature, one a category, are added up times the feature's value. "shape:always" is in every report.
	Weights map[string][]float64
}

const alwaysFeature = "shape:always"

// Write prints the model: a line of categories, then one line a feature, sorted, with weights of two decimals.
func (m CategoryModel) Write(to io.Writer) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "feature")
	for _, category := range m.Categories {
		fmt.Fprintf(out, "\t%s", category)
	}
	names := make([]string, 0, len(m.Weights))
	for name := range m.Weights {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(out, "\n%s", name)
		for _, weight := range m.Weights[name] {
			text := strconv.FormatFloat(weight, 'f', 2, 64)
			if text == "-0.00" || text == "0.00" {
				text = "0"
			}
			fmt.Fprintf(out, "\t%s", text)
		}
	}
	fmt.Fprintln(out)
	return out.Flush()
}

// ReadCategoryModel reads what Write wrote.
func ReadCategoryModel(text string) (CategoryModel, error) {
	model := CategoryModel{Weights: map[string][]float64{}}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		cells := strings.Split(line, "\t")
		if i == 0 {
			for _, name := range cells[1:] {
				model.Categories = append(model.Categories, lore.Category(name))
			}
			continue
		}
		if len(cells) != len(model.Categories)+1 {
			return CategoryModel{}, fmt.Errorf("line %d has %d cells, not %d", i+1, len(cells), len(model.Categories)+1)
		}
		weights := make([]float64, len(model.Categories))
		for j, cell := range cells[1:] {
			weight, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return CategoryModel{}, fmt.Errorf("line %d: %w", i+1, err)
			}
			weights[j] = weight
		}
		model.Weights[cells[0]] = weights
	}
	return model, nil
}

func mustReadCategoryModel(text string) CategoryModel {
	model, err := ReadCategoryModel(text)
	if err != nil {
		panic("curator/model/categories.tsv: " + err.Error())
	}
	return model
}
