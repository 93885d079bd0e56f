package curator

// EmbeddedCategoryModel returns the model in use.
func EmbeddedCategoryModel() CategoryModel { return categoryModel }
